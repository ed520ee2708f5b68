// Arguments of a launch that are named like the kernel's parameters and stand in another order.
#pragma once

#include <string>

#include "plan/plugin_loader.hpp"

namespace warpmark {

/// "the arguments are in the order n, x, and the parameters of `scale` in the order x, n"; "" if
/// they are in one order, have other names, or the kernel's text is not found in its file.
std::string misplaced_arguments(const PlannedCase& planned, const LaunchStep& launch);

}  // namespace warpmark
