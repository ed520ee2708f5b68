// The file that students start from.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"

namespace warpmark {

struct HandoutTemplate {
  std::string text;
  std::string origin;  ///< its file, or the source it was made from: for messages
};

/// Returns the template of the students' file `name`: the assignment's `template`; without one the
/// file of that name in the assignment's folder, unless that is a suite's kernel or a solution;
/// else the suite's kernel without its body. Throws a usage error for a solution, and if no
/// template can be made.
HandoutTemplate handout_template(const Assignment& assignment, const std::string& name);

/// True if the text is that of a solution, a .cu file of `must_pass`.
bool is_solution(const Assignment& assignment, const std::string& text);

}  // namespace warpmark
