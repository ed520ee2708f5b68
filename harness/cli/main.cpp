// The program's entry: what the process needs before anything else runs.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "cli/program.hpp"
#include "cli/program/run_guard.hpp"

namespace {

// A caller may have closed them, and the next file opened would take their places: a report could
// end up inside a journal. Each is opened for the wrong direction, so that its use still fails.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one, as those below are open.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int count, char** arguments) {
  fill_standard_descriptors();
  // A reader or a worker that goes away is seen as EPIPE, where it can be answered.
  std::signal(SIGPIPE, SIG_IGN);
  warpmark::RunGuard guard;
  if (warpmark::needs_guard(count, arguments)) {
    if (const auto code = guard.start()) return *code;
  }
  return guard.end(warpmark::run_program(count, arguments));
}
