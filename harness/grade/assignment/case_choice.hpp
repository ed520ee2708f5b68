// The cases of an assignment that somebody wants to try.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"

namespace warpmark {

/// The assignment with the items of `only` alone, which names items by their ids and whole cases by
/// their names; all for none. Without hidden cases unless they are wanted. Throws a usage error for
/// what no case has, or if nothing is left.
std::shared_ptr<const Assignment> chosen_cases(const Assignment& assignment,
                                               const std::vector<std::string>& only, bool hidden);

}  // namespace warpmark
