// What a hand-out says to the students who open its folder.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"

namespace warpmark {

/// README.md: what to do, and the visible cases with their points; `hidden_points` adds those of the
/// hidden cases as one number.
std::string handout_readme(const Assignment& assignment, bool hidden_points);

}  // namespace warpmark
