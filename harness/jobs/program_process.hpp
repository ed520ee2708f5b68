// The program once more, as a process of its own: GoogleTest can run once in a process.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/spawn.hpp"

namespace warpmark {

class ProgramProcess {
 public:
  /// Passes a signal on to the process that runs, if one does: what a terminal sends goes to it as
  /// well, what `kill` and service managers send may not. Async-signal-safe.
  void pass_on(int signal) const noexcept;

  /// Starts the program with this command line, its own name first, and waits for its end. An
  /// interrupt that `guard` has already is passed on. Throws an environment error if it does not
  /// start.
  ExitCode run(const std::vector<std::string>& arguments, const InterruptGuard& guard,
               const SpawnOptions& options = {});

 private:
  std::atomic<pid_t> process_ = -1;  ///< for signal handlers; -1 for none
};

}  // namespace warpmark
