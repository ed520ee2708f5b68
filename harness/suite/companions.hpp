// The cases that a case is held against: another kernel at the same point, and less work.
#pragma once

#include <optional>

#include "suite/case.hpp"

namespace warpmark {

/// What expressions call the arrays that the baseline kernel leaves.
inline constexpr std::string_view kBaselineName = "baseline";

/// Whether outputs are held against what the baseline leaves.
bool uses_baseline(const NamedText& reference);
bool uses_baseline(const SuiteCheck& check);
bool uses_baseline(const Suite& suite);

/// The case with the suite's baseline in the place of its kernel; nothing if the suite has none.
/// Bounds on counters are the own kernel's and left out.
std::optional<Case> baseline_case(const Case& which);

/// The case at the point that `work_efficient` names as smaller; nothing if the suite asks for no
/// such thing. Throws a usage error if it is the same point, or one that the suite skips.
std::optional<Case> smaller_case(const Case& which);

}  // namespace warpmark
