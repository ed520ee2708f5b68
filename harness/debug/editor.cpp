// The Debug Adapter Protocol up to the launch request, and the descriptors that it needs.
#include <unistd.h>

#include <array>
#include <thread>

#include "base/file.hpp"
#include "debug/adapter.hpp"
#include "debug/case_runs.hpp"

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
    reader_ = std::thread([this, &channel] {
      std::array<char, 4096> buffer;
      for (ssize_t count; (count = ::read(read_.get(), buffer.data(), buffer.size())) > 0;) {
        channel.event("output",
                      {{"category", "stdout"},
                       {"output", std::string(buffer.data(), static_cast<size_t>(count))}});
      }
    });
  }

 private:
  UniqueFd protocol_, read_;
  std::thread reader_;
};

// Debugs the case that a launch request names.
void debug_launched(Interpreter& python, const ChooseDebuggee& choose, AdapterChannel& channel,
                    const nlohmann::json& request) {
  const nlohmann::json arguments = request.value("arguments", nlohmann::json::object());
  const Debuggee debuggee = choose(arguments.value("suite", ""), arguments.value("case", ""));
  channel.respond(request);
  CaseArtifacts artifacts;
  SourceLines sources(artifacts, debuggee.which.suite->folder);
  Adapter adapter(channel, sources,
                  {arguments.value("stopOnEntry", false), arguments.value("stopAtEnd", false)});
  Debugger debugger(adapter);
  channel.on_arrival([&debugger] { debugger.ask(); });
  try {
    run_debugged(python, debuggee, debugger, artifacts,
                 [&](const Outcome& outcome) { return adapter.ended(debugger, outcome); });
  } catch (const Error&) {
    channel.on_arrival({});
    throw;
  }
  channel.on_arrival({});
}

}  // namespace

ExitCode debug_for_editor(Interpreter& python, const ChooseDebuggee& choose) {
  PrintedAsEvents printed;
  AdapterChannel channel(STDIN_FILENO, printed.protocol());
  printed.begin(channel);
  while (const std::optional<nlohmann::json> request = channel.wait()) {
    const std::string command = request->value("command", "");
    if (command == "initialize") {
      channel.respond(*request, adapter_capabilities());
    } else if (command == "launch") {
      try {
        debug_launched(python, choose, channel, *request);
      } catch (const Error& error) {
        channel.refuse(*request, error.message());
        channel.event("output", {{"category", "stderr"}, {"output", error.message() + "\n"}});
        channel.event("terminated");
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
