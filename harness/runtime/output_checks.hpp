// The checks of a case's outputs, beside its references.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "python/array.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

/// The outputs that only checks are about, in the plan's order; none of a plan without checks.
/// Buffers of a plugin's own making are no outputs.
std::vector<const Buffer*> checked_outputs(const Plan& plan);

/// Throws a verdict error for an output that no reference, no property and no parameter of a
/// function is about. Loads the files of functions.
void require_checks(Interpreter& python, const PlannedCase& planned);

/// Asks each check about `results`, which has every buffer as it is after the launch: why those
/// that do not hold fail the case, in the plan's order. Throws verdict errors of checks that cannot
/// be asked, at their places, and an environment error where SciPy is wanted and not there.
std::vector<Error> failed_checks(Interpreter& python, const PlannedCase& planned,
                                 const CaseInputs& inputs,
                                 const std::map<std::string, Array>& results);

}  // namespace warpmark
