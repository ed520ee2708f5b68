// The part of an ordinary .cu file that NVRTC can compile: without the code for the CPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// A source without its code for the CPU. Lines keep their numbers.
struct DevicePart {
  std::string source;
  std::vector<std::string>
      left_out;                    ///< for people: "#include <iostream>", "main() in lines 9 to 20"
  std::vector<std::string> names;  ///< of the functions and types among it
};

/// Functions that are `constexpr` become functions of both sides, as device code may use them at
/// compile time. Leaves out includes of headers for the CPU, functions without an execution space (`main`, those
/// that call the CUDA runtime) and their prototypes, and variables of types for the CPU. No kernel can use these, so that
/// its meaning stays. What does not have its lines to itself stays, as does all that holds one half
/// of an `#if`. Macros are not expanded: a kernel whose `__global__` is in a macro would be left
/// out, so that a compile of the whole source must have failed first.
/// `first_line` is that of the source in its file.
DevicePart device_part(std::string_view source, int first_line = 1);

}  // namespace warpmark
