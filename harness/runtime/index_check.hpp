// Refuses index arrays with values that the indexed array does not have, before a launch.
#pragma once

#include "runtime/inputs.hpp"

namespace warpmark {

/// Throws a verdict error, at the access's line and with the first such value, unless the case must
/// not end well.
void check_indices(const ReadyCase& ready);

}  // namespace warpmark
