#include "debug/program_runs.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "base/own_program.hpp"
#include "base/spawn.hpp"
#include "debug/remote_device.hpp"

namespace warpmark::debugging {
namespace {

// Between two looks at whether somebody asks for a stop, or the program has ended.
constexpr int kTickMs = 50;

// The program's process; none if it was started elsewhere.
class Process {
 public:
  Process(const DebuggedProgram& program, const std::string& socket)
      : has_group_(program.process.own_group) {
    if (program.words.empty()) return;
    const std::filesystem::path launcher = own_program().folder / "warpmark-cpu";
    if (!std::filesystem::exists(launcher))
      throw environment_error("`" + launcher.string() +
                              "` is not there; is Warpmark's CPU device installed?");
    ::setenv(debug_wire::kVariable, socket.c_str(), 1);
    ::setenv("WARPMARK_CPU_CHECK", "all", 0);
    std::vector<std::string> words = {"warpmark-cpu", "--"};
    words.insert(words.end(), program.words.begin(), program.words.end());
    // Ctrl-C is the debugger's. What is ignored stays so in the program.
    struct sigaction ignored {
    }, before{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, &before);
    const auto restore = [&before] {
      ::sigaction(SIGINT, &before, nullptr);
      ::unsetenv(debug_wire::kVariable);
    };
    try {
      id_ = spawn("the program", launcher.string(), words, program.process);
    } catch (const Error&) {
      restore();
      throw;
    }
    restore();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (!is_there() || ended()) return;
    end();
    await_exit(id_);
  }

  bool is_there() const { return id_ > 0; }
  void end() const {
    if (is_there() && !status_) ::kill(has_group_ ? -id_ : id_, SIGKILL);
  }
  /// Its status, once it has ended.
  std::optional<int> ended() {
    int status = 0;
    if (is_there() && !status_ && ::waitpid(id_, &status, WNOHANG) == id_) status_ = status;
    return status_;
  }

 private:
  pid_t id_ = -1;
  bool has_group_;
  std::optional<int> status_;
};

// Takes the devices that come to the socket, the first of them as the one that is debugged.
class Session {
 public:
  Session(const DebugSocket& socket, Debugger& debugger) : socket_(socket), debugger_(debugger) {}

  bool has_device() const { return device_.has_value(); }
  bool had_device() const { return had_; }
  /// Waits for one message or a tick.
  void turn() {
    pollfd waits[2] = {{socket_.socket(), POLLIN, 0}, {-1, POLLIN, 0}};
    if (device_) waits[1].fd = device_->socket();
    if (::poll(waits, 2, kTickMs) <= 0) {
      if (debugger_.hook().pause == 0) return;
      if (device_ && device_->in_launch())
        device_->pause();
      else
        debugger_.idle();
      return;
    }
    if (waits[1].revents != 0 && !device_->serve()) device_.reset();
    if (waits[0].revents == 0) return;
    UniqueFd made = socket_.accept();
    if (!made) return;
    if (device_) {
      debug_wire::send_message(made.get(), debug_wire::Kind::refuse,
                               "another process of the program is debugged; this one runs without");
      return;
    }
    had_ = true;
    if (debug_wire::send_message(made.get(), debug_wire::Kind::welcome))
      device_.emplace(std::move(made), debugger_);
  }

 private:
  const DebugSocket& socket_;
  Debugger& debugger_;
  std::optional<RemoteDevice> device_;
  bool had_ = false;
};

// One run of the program, up to its end or its restart.
std::optional<int> run_once(const DebuggedProgram& program, const DebugSocket& socket,
                            Debugger& debugger, const std::function<void()>& is_ready) {
  Session session(socket, debugger);
  Process process(program, socket.path());
  is_ready();
  for (;;) {
    session.turn();
    if (debugger.quits() || debugger.runs_again()) return std::nullopt;
    if (debugger.gives_up()) process.end();
    if (session.has_device()) continue;
    if (const std::optional<int> status = process.ended()) return status;
    if (!process.is_there() && (session.had_device() || debugger.gives_up())) return std::nullopt;
  }
}

}  // namespace

std::optional<int> run_program(const DebuggedProgram& program, Debugger& debugger,
                               const std::function<void()>& is_ready, const AtProgramEnd& at_end) {
  debugger.expect_program();
  const DebugSocket socket(program.socket);
  std::optional<int> status;
  for (bool again = false; !debugger.quits(); again = true) {
    debugger.begin_run();
    status = run_once(program, socket, debugger, again ? std::function<void()>([] {}) : is_ready);
    debugger.end_run();
    if (debugger.quits() || debugger.runs_again()) continue;
    debugger.resume_from_end(at_end(status));
    if (program.words.empty()) break;
  }
  return status;
}

int exit_code_of(std::optional<int> known) {
  const int status = known.value_or(0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string program_end_text(std::optional<int> status) {
  if (!status) return "The program has ended";
  return "The program has " + (WIFSIGNALED(*status) ? "been " : std::string()) + exit_text(*status);
}

}  // namespace warpmark::debugging
