// The program once more, as a process of its own: GoogleTest can run once in a process.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/spawn.hpp"

namespace warpmark {

/// While it lives, an interrupt is passed on to the process that runs, if one does: what a terminal
/// sends goes to it as well, what `kill` and service managers send may not.
class ProgramProcess {
 public:
  /// `then` runs after that, in the signal handler (InterruptGuard).
  explicit ProgramProcess(std::function<void()> then = {});

  /// Starts the program with this command line, its own name first, and waits for its end. An
  /// interrupt that came before is passed on. Throws an environment error if it does not start.
  ExitCode run(const std::vector<std::string>& arguments, const SpawnOptions& options = {});

  const InterruptGuard& guard() const { return guard_; }

 private:
  void pass_on() const noexcept;

  std::atomic<pid_t> process_ = -1;  ///< for signal handlers; -1 for none
  InterruptGuard guard_;
};

}  // namespace warpmark
