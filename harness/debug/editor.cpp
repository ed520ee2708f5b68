// The Debug Adapter Protocol up to the launch request, and the descriptors that it needs.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <thread>

#include "base/file.hpp"
#include "debug/adapter.hpp"
#include "debug/case_runs.hpp"
#include "debug/program_runs.hpp"
#include "debug/stop_text.hpp"

namespace warpmark::debugging {
namespace {

// The standard output for the protocol alone: what a kernel prints becomes events.
class PrintedAsEvents {
 public:
  PrintedAsEvents() : protocol_(::dup(STDOUT_FILENO)) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) throw environment_error("no pipe for what the kernel prints");
    read_ = UniqueFd(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[1]);
  }
  PrintedAsEvents(const PrintedAsEvents&) = delete;
  PrintedAsEvents& operator=(const PrintedAsEvents&) = delete;
  ~PrintedAsEvents() {
    ::dup2(protocol_.get(), STDOUT_FILENO);  // the pipe's last end for writing closes
    if (reader_.joinable()) reader_.join();
  }

  int protocol() const { return protocol_.get(); }
  void begin(AdapterChannel& channel) {
    channel_ = &channel;
    reader_ = std::thread([this] {
      pollfd waits = {read_.get(), POLLIN, 0};
      do {
        ::poll(&waits, 1, -1);
      } while (forward());
    });
  }
  /// Sends all that has been printed so far. An event of the program's end must not overtake it.
  void drain() {
    std::fflush(stdout);
    forward();
  }

 private:
  // False once the pipe has been closed.
  bool forward() {
    const std::lock_guard lock(forwarding_);
    std::array<char, 4096> buffer;
    for (pollfd waits = {read_.get(), POLLIN, 0}; ::poll(&waits, 1, 0) > 0;) {
      const ssize_t count = ::read(read_.get(), buffer.data(), buffer.size());
      if (count <= 0) return false;
      channel_->event("output",
                      {{"category", "stdout"},
                       {"output", std::string(buffer.data(), static_cast<size_t>(count))}});
    }
    return true;
  }

  UniqueFd protocol_, read_;
  AdapterChannel* channel_ = nullptr;
  std::mutex forwarding_;
  std::thread reader_;
};

using nlohmann::json;

// Has the debugger ask its adapter when something arrives, as long as this lives.
class AsksOnArrival {
 public:
  AsksOnArrival(AdapterChannel& channel, Debugger& debugger) : channel_(channel) {
    channel.on_arrival([&debugger] { debugger.ask(); });
  }
  AsksOnArrival(const AsksOnArrival&) = delete;
  AsksOnArrival& operator=(const AsksOnArrival&) = delete;
  ~AsksOnArrival() { channel_.on_arrival({}); }

 private:
  AdapterChannel& channel_;
};

AdapterStops stops_of(const json& arguments) {
  return {arguments.value("stopOnEntry", false), arguments.value("stopAtEnd", false)};
}

// Debugs the case that a launch request names.
void debug_case(const std::function<Interpreter&()>& python, const Debuggee& debuggee,
                AdapterChannel& channel, PrintedAsEvents& printed, const json& request) {
  channel.respond(request);
  CaseArtifacts artifacts;
  SourceLines sources(artifacts, debuggee.which.suite->folder);
  Adapter adapter(channel, sources, stops_of(request.value("arguments", json::object())));
  Debugger debugger(adapter, sources);
  const AsksOnArrival asks(channel, debugger);
  run_debugged(python(), debuggee, debugger, artifacts, [&](const Outcome& outcome) {
    printed.drain();
    return adapter.ended(debugger, outcome_text(outcome),
                         outcome.verdict == Verdict::failed ? 1 : 0, true);
  });
}

// The program of a launch request, or the one that is to come to the socket of an attach request.
DebuggedProgram program_of(const json& request, DebuggedProgram otherwise) {
  const json arguments = request.value("arguments", json::object());
  DebuggedProgram program = std::move(otherwise);
  if (request.value("command", "") == "attach") {
    program.words.clear();
    program.socket = arguments.at("socket");
    return program;
  }
  std::vector<std::string> words;
  if (arguments.contains("cwd") || arguments.contains("env")) words.emplace_back("env");
  if (arguments.contains("cwd")) {
    words.emplace_back("-C");
    words.push_back(arguments.at("cwd"));
  }
  const json variables = arguments.value("env", json::object());
  for (const auto& [name, value] : variables.items())
    words.push_back(name + "=" + value.get<std::string>());
  if (arguments.contains("program")) {
    program.words = {arguments.at("program").get<std::string>()};
    for (const json& one : arguments.value("args", json::array())) program.words.push_back(one);
  }
  program.words.insert(program.words.begin(), words.begin(), words.end());
  return program;
}

void debug_program(DebuggedProgram program, AdapterChannel& channel, PrintedAsEvents& printed,
                   const json& request) {
  // The standard input is the protocol's, and both outputs are events.
  program.process.own_group = true;
  program.process.descriptors = {{STDERR_FILENO, STDOUT_FILENO}, {STDIN_FILENO}};
  SourceLines sources;
  Adapter adapter(channel, sources, stops_of(request.value("arguments", json::object())));
  Debugger debugger(adapter, sources);
  const AsksOnArrival asks(channel, debugger);
  const auto is_ready = [&] { channel.respond(request); };
  run_program(program, debugger, is_ready, [&](std::optional<int> status) {
    printed.drain();
    return adapter.ended(debugger, program_end_text(status), exit_code_of(status), false);
  });
}

}  // namespace

ExitCode debug_for_editor(const std::function<Interpreter&()>& python, const ChooseDebuggee& choose,
                          const DebuggedProgram& program) {
  PrintedAsEvents printed;
  AdapterChannel channel(STDIN_FILENO, printed.protocol());
  printed.begin(channel);
  while (const std::optional<json> request = channel.wait()) {
    const std::string command = request->value("command", "");
    if (command == "initialize") {
      channel.respond(*request, adapter_capabilities());
    } else if (command == "launch" || command == "attach") {
      const json arguments = request->value("arguments", json::object());
      const auto refuse = [&](const std::string& why) {
        channel.refuse(*request, why);
        channel.event("output", {{"category", "stderr"}, {"output", why + "\n"}});
        channel.event("terminated");
      };
      try {
        if (command == "attach" || arguments.contains("program") || !program.words.empty()) {
          debug_program(program_of(*request, program), channel, printed, *request);
        } else {
          const Debuggee chosen = choose(arguments.value("suite", ""), arguments.value("case", ""));
          debug_case(python, chosen, channel, printed, *request);
        }
        break;  // its client has left
      } catch (const Error& error) {
        refuse(error.message() + (error.hint().empty() ? "" : " (" + error.hint() + ")"));
      } catch (const json::exception& error) {
        refuse(wrong_arguments(error));
      }
    } else if (command == "disconnect" || command == "terminate") {
      channel.respond(*request);
      break;
    } else {
      channel.refuse(*request, "`launch` comes first");
    }
  }
  return ExitCode::success;
}

}  // namespace warpmark::debugging
