// The cases that a case is compared with: another kernel at the same point, and less work.
#pragma once

#include <optional>

#include "suite/case.hpp"

namespace warpmark {

/// The name in expressions for the arrays that the baseline kernel leaves.
inline constexpr std::string_view kBaselineName = "baseline";

/// True if outputs are compared with the results of the baseline.
bool uses_baseline(const NamedText& reference);
bool uses_baseline(const SuiteCheck& check);
bool uses_baseline(const Suite& suite);

/// The case with the suite's baseline in place of its kernel; nothing if the suite has none. Bounds
/// on counters are left out, since they are for the suite's own kernel.
std::optional<Case> baseline_case(const Case& which);

/// The case at the point that `work_efficient` names as smaller; nothing if the suite does not use
/// `work_efficient`. Throws a usage error if it is the same point, or one that the suite skips.
std::optional<Case> smaller_case(const Case& which);

}  // namespace warpmark
