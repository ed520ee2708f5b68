// The exit code of a run that evaluates functions of suites belongs to a process without them.
#pragma once

#include <functional>

namespace warpmark {

/// True if the command would evaluate functions of suites in the process that it starts as: `check`
/// has lanes for them, except with --keep. False for processes that mpirun starts, which manages
/// its ranks' processes itself; for --in-process, which is for debuggers; and for tests of --share,
/// which find each other by their common parent.
bool needs_guard(int count, const char* const* arguments);

/// Runs `program` in a child of this process, and returns its exit code. A check function, or a
/// library that it loads, can end the child and give it any code, 0 as well: then the run did not
/// end by itself, a message on the standard error says so, and the code is ExitCode::verdict.
/// Termination signals are passed on, and a signal that kills the child kills this process. To be
/// called before anything else runs; without a further process, `program` runs here.
int run_guarded(const std::function<int()>& program);

}  // namespace warpmark
