#include "jobs/program_process.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace warpmark {

ProgramProcess::ProgramProcess(std::function<void()> then)
    : guard_([this, then = std::move(then)] {
        pass_on();
        if (then) then();
      }) {}

void ProgramProcess::pass_on() const noexcept {
  const pid_t process = process_.load();
  if (process > 0) ::kill(process, guard_.signal());
}

ExitCode ProgramProcess::run(const std::vector<std::string>& arguments,
                             const SpawnOptions& options) {
  const pid_t process =
      spawn_own("a job", arguments.front(), {arguments.begin() + 1, arguments.end()}, options);
  process_.store(process);
  if (guard_.interrupted()) pass_on();  // it came in between
  siginfo_t ended = {};
  while (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  process_.store(-1);  // before its number is free for another process
  const int status = await_exit(process);
  if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const bool is_interrupt = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  return is_interrupt ? interrupted_by(signal) : ExitCode::internal;
}

}  // namespace warpmark
