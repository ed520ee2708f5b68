// The file of a new assignment over a suite, for a lecturer to go on from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/suite.hpp"

namespace warpmark {

struct NewKernel {
  const Suite* suite = nullptr;  ///< one that require_gradable() takes
  std::string file;              ///< of students
  std::string template_file;     ///< relative to the folder; "" for none
};

struct NewAssignment {
  std::string id;
  std::filesystem::path folder;                ///< absolute; need not be there
  std::vector<NewKernel> kernels;              ///< of each suite, in files of different names
  bool split = true;                           ///< the last size into a hidden case
  std::vector<std::filesystem::path> wrong;    ///< relative to the folder
  std::vector<std::filesystem::path> headers;  ///< the same; of `submission`
  std::string solution;                        ///< the same; of several kernels a folder
  std::vector<std::string> fixed;              ///< axes and scalar arguments with one value
};

/// The YAML text, with the line by which editors find its schema, if that came along. A suite with
/// an axis of two or more whole numbers gets a visible and a hidden case; any other one case with
/// all of it. Each kernel gives 100 points.
std::string new_assignment_text(const NewAssignment& made);

}  // namespace warpmark
