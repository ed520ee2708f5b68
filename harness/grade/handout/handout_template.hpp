// The file that students start from.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"

namespace warpmark {

struct HandoutTemplate {
  std::string text;
  std::string origin;  ///< its file, or what it was made of: for messages
};

/// Of the students' file `name`: the assignment's `template`; without one the file in its folder that is called as students'
/// files are, unless that is a suite's kernel or a solution; else the suite's kernel without its
/// body. Throws a usage error for a solution, and where none can be made.
HandoutTemplate handout_template(const Assignment& assignment, const std::string& name);

/// Whether the text is that of a solution, a .cu file of `must_pass`.
bool is_solution(const Assignment& assignment, const std::string& text);

}  // namespace warpmark
