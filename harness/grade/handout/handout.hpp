// What students get of an assignment: a template, the visible cases, and what a grader asks the
// course's own kernel for, measured and stored.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "python/interpreter.hpp"

namespace warpmark {

struct HandoutOptions {
  std::string device = "cpu";  ///< where types and counters are asked for
  bool hidden_points = false;  ///< tells how many points hidden cases give
};

struct Handout {
  std::map<std::string, std::string> files;  ///< texts by their places in the folder
  std::vector<std::string> warnings;         ///< what the lecturer should look at
};

/// Makes all files. Throws usage errors for what cannot be handed out, and environment errors for
/// what this machine lacks.
Handout make_handout(const Assignment& assignment, const HandoutOptions& options,
                     Interpreter& python);

/// Loads a hand-out that was written to `folder` and tries its template there. Throws a usage error
/// if its items are not the visible ones, or if the template passes any; returns a warning if it
/// does not compile, else "".
std::string prove_handout(const Assignment& assignment, const std::filesystem::path& folder,
                          const HandoutOptions& options, Interpreter& python,
                          const ListEvaluator& lists);

}  // namespace warpmark
