// Archives that grade elsewhere: Gradescope's autograder, and what students get on GitHub.
#pragma once

#include <filesystem>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/handout/handout.hpp"
#include "python/interpreter.hpp"
#include "python/zip_writer.hpp"

namespace warpmark {

struct GradescopePack {
  std::filesystem::path secret;             ///< goes along; "": each image makes its own
  std::vector<std::filesystem::path> more;  ///< what the course's Python files read
  int limit_s = 570;                        ///< Gradescope ends an autograder after 10 minutes
  bool no_sandbox = false;
};

/// The autograder: its scripts, the assignment, and this program. Throws usage errors for files
/// that cannot be packed, and environment errors for what this machine lacks.
std::vector<PackedFile> gradescope_files(const Assignment& assignment, const GradescopePack& pack);

/// The hand-out, with a workflow that installs its wheel and tries the students' files on each push,
/// with the version of Python `python_version`, or, if that is "", the wheel's. Throws a usage error
/// for a hand-out without a wheel, or with one that the runner of the workflow cannot take.
Handout make_repository(const Assignment& assignment, const HandoutOptions& options,
                        const std::string& python_version, Interpreter& python);

}  // namespace warpmark
