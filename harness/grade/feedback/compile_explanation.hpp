// Explains why a submission does not compile, has no such kernel, or one with other parameters.
#pragma once

#include <string>

#include "grade/feedback/explanation.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Host code, the compiler's first error in plain words, or the kernels that are there.
std::string explain_compile(const Outcome& outcome, const ExplainContext& context);

/// Explains why the device did not accept or start the compiled kernel.
std::string explain_driver(const Outcome& outcome);

/// Shows the wanted and the given parameters, a line for each.
std::string explain_signature(const Outcome& outcome, const ExplainContext& context);

}  // namespace warpmark
