#include "jobs/forked_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"

namespace warpmark {

pid_t fork_process(Interpreter* python, const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t process = python != nullptr ? python->fork() : ::fork();
  if (process < 0)
    throw environment_error(fmt::format("cannot fork: {}", std::generic_category().message(errno)));
  if (process > 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it had ended before
  // A terminal's Ctrl-C is for the first process, which ends this one.
  for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  work();
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace warpmark
