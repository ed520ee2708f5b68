// The console reports of `warpmark grade` and `warpmark try`.
#pragma once

#include <ostream>
#include <vector>

#include "report/page/style.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// One submission as its student sees it: points, a line for each case, then each lost point with
/// its reason, and the compiler's log where it is to blame. Whole lines; ends with a newline.
/// Nothing of the submission can form a line of ours, an escape sequence or a command to a CI
/// runner (`style.for_runner`). With Verbosity::quiet only the line of points.
void print_grade(std::ostream& out, const ConsoleStyle& style, const StudentView& view);

/// The closing table of a class: a line for each submission with a letter for each case, what the
/// letters mean, and the sums. With Verbosity::quiet only the sums. For staff: the letters show
/// the words of hidden cases, though no more.
void print_grades(std::ostream& out, const ConsoleStyle& style,
                  const std::vector<GradeResult>& results);

}  // namespace warpmark
