// The exit code of a run that evaluates functions of suites belongs to a process without them.
#pragma once

#include <functional>

namespace warpmark {

/// Whether the command evaluates functions of suites in the process that it starts as: `check` has
/// lanes for them, but for --keep. Nothing of
/// what mpirun starts, which keeps its ranks' processes itself; nothing --in-process, which is for
/// debuggers; and no test of --share, which knows the others by their common parent.
bool needs_guard(int count, const char* const* arguments);

/// Runs `program` in a child of this process, and returns its exit code. A check function, or a
/// library that it loads, can end the child and give it any code, 0 as well: then the run did not
/// end by itself, which is said on the standard error, and the code is ExitCode::verdict. Signals
/// that ask for the end are handed on, and what kills the child kills this process. To be called
/// before anything else runs; without a further process, `program` runs here.
int run_guarded(const std::function<int()>& program);

}  // namespace warpmark
