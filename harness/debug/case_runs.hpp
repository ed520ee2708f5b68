// Runs a case again and again, as a debugger wants it.
#pragma once

#include <functional>
#include <optional>

#include "debug/debuggee.hpp"
#include "debug/debugger.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/outcome.hpp"

namespace warpmark::debugging {

/// The plan as it is debugged: compiled with -G if that is asked for, without limits of time and
/// without the runs that others are compared with.
PlannedCase debugged_plan(const Debuggee& debuggee);

/// How to go on when a run has come to its end.
using AtEnd = std::function<Resume(const Outcome& outcome)>;

/// Runs the case until somebody quits. `artifacts` has the case's texts from its first launch on.
/// Returns the last outcome of a run that came to its end, if one did. Throws environment errors.
std::optional<Outcome> run_debugged(Interpreter& python, const Debuggee& debuggee,
                                    Debugger& debugger, CaseArtifacts& artifacts,
                                    const AtEnd& at_end);

}  // namespace warpmark::debugging
