// The hand-out of an assignment for students: a template, the visible cases, and measurements of
// the course's own kernel that a grader needs, stored in a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/handout/wheel.hpp"
#include "python/interpreter.hpp"

namespace warpmark {

struct HandoutOptions {
  std::string device = "cpu";  ///< the device that measures types and counters
  bool hidden_points = false;  ///< shows how many points hidden cases give
  std::vector<Wheel> wheels;   ///< what students install, each for a Python; files go along
};

struct Handout {
  std::map<std::string, std::string> files;  ///< texts by their paths in the folder
  std::vector<std::string> warnings;         ///< warnings for the lecturer
};

/// Makes all files. Throws usage errors for an assignment that cannot be handed out, and
/// environment errors for anything that this machine lacks.
Handout make_handout(const Assignment& assignment, const HandoutOptions& options,
                     Interpreter& python);

/// Loads a hand-out that was written to `folder` and tries its template there. Throws a usage error
/// if its items are not the visible ones, or if the template passes any; returns a warning if it
/// does not compile, else "".
std::string prove_handout(const Assignment& assignment, const std::filesystem::path& folder,
                          const HandoutOptions& options, Interpreter& python,
                          const ListEvaluator& lists);

}  // namespace warpmark
