#include "cli/program/run_guard.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/error.hpp"
#include "base/spawn.hpp"
#include "ranks/launcher.hpp"

namespace warpmark {
namespace {

// A signal may interrupt the write of the exit code, so it is tried this often.
constexpr int kAttempts = 5;

// A signal handler can reach nothing but globals.
volatile sig_atomic_t guarded_process = 0;

void hand_on(int signal) {
  const int saved = errno;
  if (guarded_process > 0) ::kill(static_cast<pid_t>(guarded_process), signal);
  errno = saved;
}

void hand_on_signals() {
  struct sigaction action {};
  action.sa_handler = &hand_on;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

// This process ends by the signal that killed the child, so that the caller sees the same.
void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
}

int code_of(int status, bool ended, unsigned char code) {
  if (ended) return code;
  if (WIFSIGNALED(status)) die_of(WTERMSIG(status));
  std::fprintf(
      stderr,
      "error: the run ended in its middle: its process %s\n  hint: a function of a suite, or a "
      "library that it loads, must not end it\n",
      exit_text(status).c_str());
  return static_cast<int>(ExitCode::verdict);
}

}  // namespace

bool needs_guard(int count, const char* const* arguments) {
  constexpr std::array<std::string_view, 6> kCommands = {"bench", "run",  "grade",
                                                         "try",   "lint", "profile"};
  if (count < 2 || launched_rank()) return false;
  bool keeps = false;  // what `check` does otherwise in lanes
  for (int i = 2; i < count; ++i) {
    const std::string_view argument = arguments[i];
    keeps = keeps || argument.starts_with("--keep") || argument.starts_with("--search");
    if (argument == "--in-process" || argument.starts_with("--share")) return false;
  }
  const std::string_view command = arguments[1];
  if (command == "check") return keeps;
  return std::ranges::find(kCommands, command) != kCommands.end();
}

std::optional<int> RunGuard::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t parent = ::getpid();
  hand_on_signals();
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      struct sigaction action {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler == &hand_on) std::signal(signal, SIG_DFL);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(static_cast<int>(ExitCode::internal));
    ::close(ends[0]);
    parent_ = ends[1];
    return {};
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {};
  }
  guarded_process = static_cast<sig_atomic_t>(child);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  guarded_process = 0;
  unsigned char code = 0;
  const bool ended = ::read(ends[0], &code, 1) == 1;
  ::close(ends[0]);
  return code_of(status, ended, code);
}

int RunGuard::end(int code) const {
  const auto byte = static_cast<unsigned char>(code);
  if (parent_ >= 0) {
    for (int attempt = 0; attempt < kAttempts && ::write(parent_, &byte, 1) != 1;) ++attempt;
  }
  return code;
}

}  // namespace warpmark
