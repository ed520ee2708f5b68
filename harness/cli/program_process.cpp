#include "cli/program_process.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/own_program.hpp"

namespace warpmark {
namespace {

pid_t start_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words =
      own_command(arguments.front(), {arguments.begin() + 1, arguments.end()});
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int code = ::posix_spawn(&process, own_program().file.c_str(), nullptr, nullptr,
                                 pointers.data(), environ);
  if (code != 0) {
    throw environment_error(fmt::format("cannot start a job: {}", std::strerror(code)));
  }
  return process;
}

}  // namespace

void ProgramProcess::pass_on(int signal) const noexcept {
  const pid_t process = process_.load();
  if (process > 0) ::kill(process, signal);
}

ExitCode ProgramProcess::run(const std::vector<std::string>& arguments,
                             const InterruptGuard& guard) {
  const pid_t process = start_program(arguments);
  process_.store(process);
  if (guard.interrupted()) pass_on(guard.signal());  // it came in between
  siginfo_t ended = {};
  while (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  process_.store(-1);  // before its number is free for another process
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const bool is_interrupt = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  return is_interrupt ? interrupted_by(signal) : ExitCode::internal;
}

}  // namespace warpmark
