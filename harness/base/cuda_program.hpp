// Finds programs of a CUDA toolkit.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpmark {

/// Below WARPMARK_CUDA_HOME, in PATH, or below /usr/local/cuda; `folders` are those of a toolkit.
std::optional<std::string> find_cuda_program(const std::string& name,
                                             const std::vector<std::string>& folders = {"bin"});

}  // namespace warpmark
