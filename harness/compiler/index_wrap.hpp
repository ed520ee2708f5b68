// Finds indices of arrays that 32 bits do not hold, by evaluating the integer arithmetic of a kernel
// for some threads: without memory, so that arrays may be of any size, and without a device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ptx_contents.hpp"

namespace warpmark {

/// One launch of a kernel.
struct EvaluatedLaunch {
  std::string symbol;
  std::array<uint64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  struct Argument {
    bool is_array = false;
    std::optional<int64_t> value = {};  ///< of an integer, where it is known
  };
  std::vector<Argument> arguments;  ///< in the order of the parameters
};

/// An access to global memory whose address is not the one that the kernel's expressions mean, or a
/// comparison of an index that is decided otherwise, because 32 bits do not hold a part of it.
struct WrappedIndex {
  PtxPlace place;                  ///< of the arithmetic
  std::optional<size_t> argument;  ///< the array; nothing for a comparison
  int64_t meant = 0;               ///< the part of the index, without a limit of bits
  int64_t computed = 0;            ///< what 32 bits make of it
  std::array<uint64_t, 3> block{}, thread{};
};

/// Evaluates the first, the middle and the last blocks and threads of each dimension, and all threads
/// of the last block, each as far as arithmetic alone decides its way: a branch by a value from memory
/// ends it, as do very many instructions. So nothing is found that does not happen, and what happens may not be found.
/// Nothing for a text that is not understood.
std::optional<WrappedIndex> wrapped_index(const std::string& ptx, const EvaluatedLaunch& launch);

}  // namespace warpmark
