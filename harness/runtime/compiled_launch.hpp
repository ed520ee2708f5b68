// Launches of kernels whose compiler says how they are launched (docs/plugins.md, "Compilers").
#pragma once

#include "compiler/signature.hpp"
#include "plan/plugin_loader.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

/// Gives launches what the compiled kernels ask for: the dynamic shared memory, where the suite has
/// no `shared`, and the parameters that are made of the suite's arguments, as the extents of an
/// array, or memory of the launch's own. Throws a verdict error, at the launch, for parameters of
/// arguments that there are not.
void follow_compilers(PlannedCase& planned, const Signatures& compiled);

/// Throws a verdict error for an array that has other axes than its kernel was compiled for.
/// `planned` is the plan that follow_compilers got.
void check_axes(const PlannedCase& planned, const Signatures& compiled, const CaseInputs& inputs);

/// Throws a verdict error for a launch whose own memory is larger than any kernel needs. `planned`
/// is resolved.
void check_scratch(const PlannedCase& planned);

}  // namespace warpmark
