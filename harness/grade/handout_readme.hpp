// The README of a hand-out for students.
#pragma once

#include <string>

#include "grade/assignment.hpp"

namespace warpmark {

/// README.md: the task, and the visible cases with their points; `hidden_points` adds those of the
/// hidden cases as one number.
std::string handout_readme(const Assignment& assignment, bool hidden_points);

}  // namespace warpmark
