// The exit code of a run that evaluates functions of suites belongs to a process without them.
#pragma once

#include <optional>

namespace warpmark {

/// True if the command would evaluate functions of suites in the process that it starts as: `check`
/// has lanes for them, except with --keep. False for processes that mpirun starts, which manages
/// its ranks' processes itself; for --in-process, which is for debuggers; and for tests of --share,
/// which find each other by their common parent.
bool needs_guard(int count, const char* const* arguments);

/// Runs the rest of the program in a child of this process. A check function, or a library that it
/// loads, can end the child and give it any code, 0 as well: then the run did not end by itself, a
/// message on the standard error says so, and the code is ExitCode::verdict.
class RunGuard {
 public:
  /// Forks, to be called before anything else runs. Returns nothing in the child, or if there can
  /// be none; in the parent, waits for the child and returns its exit code. Termination signals are
  /// passed on to the child, and a signal that kills it kills this process.
  std::optional<int> start();

  /// Hands the program's exit code to the parent, if there is one, and returns it.
  int end(int code) const;

 private:
  int parent_ = -1;  ///< descriptor that the parent reads the code from
};

}  // namespace warpmark
