// Lost points as annotations of a code host, at the lines of the student's file.
#pragma once

#include <ostream>
#include <string>

#include "results/grade_result.hpp"

namespace warpmark {

/// One for each mistake: why the file is not launched, or each way in which items fail. `file` is
/// the file as annotations name it, and `name` what the grader calls it.
void annotate_grade(std::ostream& out, const StudentView& view, const std::string& file,
                    const std::string& name);

}  // namespace warpmark
