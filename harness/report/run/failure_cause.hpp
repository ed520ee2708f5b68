// Which failures have one cause, so that it is reported once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/outcome.hpp"

namespace warpmark {

/// A text that outcomes share if one mistake made them: the same kind of failure at the same place,
/// in the same words apart from numbers; or the same outputs wrong in every element. "" for an
/// outcome that is reported alone, as outputs are that are wrong in a part.
std::string failure_cause(const Outcome& outcome);

/// The text with `#` for each number: which thread it was and how many there are differ from case to
/// case.
std::string without_numbers(std::string_view text);

/// The order of reporting, least first: what ran nothing, what ended a launch, reports, wrong
/// results.
int failure_rank(const Outcome& outcome);

/// "t.n=4 and 5 more cases".
std::string cases_title(const std::string& first, size_t more);

/// "n=4, n=8 and 70 more": those beside the first.
std::string other_cases(const std::vector<std::string>& ids);

}  // namespace warpmark
