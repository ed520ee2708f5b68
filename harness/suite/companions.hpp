// The cases that composites hold a case against: another kernel at the same point, and less work.
#pragma once

#include <optional>

#include "suite/case.hpp"

namespace warpmark {

/// The case with the suite's baseline in the place of its kernel; nothing if the suite has none.
/// Bounds on counters are the own kernel's and left out.
std::optional<Case> baseline_case(const Case& which);

/// The case at the point that `work_efficient` names as smaller; nothing if the suite asks for no
/// such thing. Throws a usage error if it is the same point, or one that the suite skips.
std::optional<Case> smaller_case(const Case& which);

}  // namespace warpmark
