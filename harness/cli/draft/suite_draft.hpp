// The text of a suite for a kernel that has none: it loads and runs, and its reference is left to
// the user.
#pragma once

#include <string>
#include <vector>

#include "cli/draft/draft_kernel.hpp"

namespace warpmark {

/// The reason why no suite can launch the kernel: "its parameter `p` is a `Point` by value"; "" if
/// one can.
std::string launch_obstacle(const DraftKernel& kernel);

struct SuiteDraft {
  std::string text;                  ///< YAML
  std::vector<std::string> outputs;  ///< outputs whose references have to be written
};

/// The entries of a suite's `kernel` besides the name of the kernel.
struct DraftOrigin {
  std::string file;                       ///< relative to the suite's folder
  std::vector<std::string> include = {};  ///< folders of headers, likewise
  std::vector<std::string> options = {};  ///< of the compiler
  std::string arch = {};                  ///< "" for none
};

/// `schema` is a first line for editors, or "". Sizes, values and the launch are guesses, and marked
/// as such; even with right guesses each case fails until the references are written. The kernel
/// must have no obstacle.
SuiteDraft draft_suite(const DraftKernel& kernel, const DraftOrigin& origin,
                       const std::string& schema);

/// True if a name is typical of lengths: n, width, num_rows, sizeX …
bool sounds_like_length(const std::string& name);

}  // namespace warpmark
