// Lost points as annotations of a code host, at the lines of the student's file.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// A file that was handed in: what the grader calls it, and how annotations name it.
struct AnnotatedFile {
  std::string name;
  std::string place;
};

/// One for each mistake: why a file is not launched, or each way in which items fail. What is of no
/// line of any of the files is of the first.
void annotate_grade(std::ostream& out, const StudentView& view,
                    const std::vector<AnnotatedFile>& files);

}  // namespace warpmark
