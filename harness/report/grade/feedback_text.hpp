// A student's view of a grade, as plain text for a mail.
#pragma once

#include <string>

#include "results/grade_result.hpp"

namespace warpmark {

/// Title, points, a line for each case with why it lost points, and the receipt. Text of a
/// submission is indented further than ours.
std::string feedback_text(const StudentView& view);

}  // namespace warpmark
