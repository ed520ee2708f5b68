// The file of a new assignment over a suite, for a lecturer to go on from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/suite.hpp"

namespace warpmark {

struct NewAssignment {
  std::string id;
  std::filesystem::path folder;                ///< absolute; need not be there
  const Suite* suite = nullptr;                ///< one that require_gradable() takes
  bool split = true;                           ///< the last size into a hidden case
  std::vector<std::filesystem::path> wrong;    ///< relative to the folder
  std::vector<std::filesystem::path> headers;  ///< the same; of `submission`
  std::string template_file, solution;         ///< the same; "" for no template
  std::vector<std::string> fixed;              ///< axes and scalar arguments with one value
};

/// The YAML text, with the line by which editors find its schema, if that came along. A suite with
/// an axis of two or more whole numbers gets a visible and a hidden case; any other one case with
/// all of it.
std::string new_assignment_text(const NewAssignment& made);

}  // namespace warpmark
