// How explanations call the files that a student handed in.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpmark {

/// The file with the kernel, as findings and logs call it, and what it includes of the student's.
struct SubmittedNames {
  SubmittedNames() = default;
  SubmittedNames(std::string name) : file(std::move(name)) {}  // NOLINT: one file is one name
  SubmittedNames(const char* name) : file(name) {}             // NOLINT

  std::string file;                  ///< "reduce.cu"; "" if unknown
  bool several = false;              ///< it is one of several, so that its lines bear its name
  std::vector<std::string> headers;  ///< "util.cuh"
};

}  // namespace warpmark
