// Finds and explains code for the CPU in a source where only kernels are wanted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

enum class HostCodeKind : uint8_t {
  main_function,
  launch,    ///< `<<<…>>>`
  include,   ///< of a header for the CPU: <iostream>, <cuda_runtime.h>
  call,      ///< of the CUDA runtime: cudaMalloc(…)
  stream,    ///< std::cout, std::vector and other parts of std:: that no device has
  function,  ///< without `__device__` or `__global__`
  variable,  ///< at file scope, of a type for the CPU: std::vector, cudaStream_t, a text
  prototype  ///< of a function without `__device__` or `__global__`
};

struct HostCode {
  HostCodeKind kind = HostCodeKind::call;
  std::string name;    ///< "main", "iostream", "cudaMalloc", "std::cout", or the name of a function
  int line = 0;        ///< from 1
  int last_line = 0;   ///< last line of a function's body; 0 for code without a body
  int first_line = 0;  ///< where the declaration of a function or variable begins; 0 for others
  friend bool operator==(const HostCode& a, const HostCode& b) {
    return a.kind == b.kind && a.name == b.name && a.line == b.line;
  }
};

/// In the order of lines, `most` at most. Reads tokens (source_tokens.hpp), and does not expand
/// macros, so it is for explaining a compiler's refusal and never for refusing.
std::vector<HostCode> find_host_code(std::string_view source, size_t most = 64);

/// True if some of the code is in that line. Only then may a compiler's error be about it: a `main`
/// that the preprocessor leaves out does not explain a `;` that is missing elsewhere.
bool is_host_code(const std::vector<HostCode>& found, int line);

/// A sentence or two for the student, with lines and the remedy; "" without host code.
std::string explain_host_code(const std::vector<HostCode>& found);

/// A hint if the kernel at this line takes a type of the CPU: "the kernel `k` in line 3 takes a
/// `std::vector<float>`, …"; "" if none does. The source's first line has the number `first_line`.
std::string host_parameter_hint(std::string_view source, int line, int first_line = 1);

/// A hint for the author of a suite if the undefined name in this line belongs to CUDA's device runtime, and no function of the
/// CPU is there: `cudaMalloc` in a kernel; "" otherwise.
std::string device_runtime_hint(const std::vector<HostCode>& found, int line,
                                std::string_view undefined);

/// The same as a hint for the author of a suite and its kernel. `line` is the line of the
/// compiler's error; 0: the hint is about all.
std::string host_code_hint(const std::vector<HostCode>& found, int line = 0);

/// Explains why a source that compiles has no kernel `wanted`: lists its kernels, the nearest name,
/// a function of that name that lacks `__global__`, a kernel that is a template, one that the
/// preprocessor leaves out. `signature` is the kernel as the assignment wants it, "scale(float *a,
/// int n)"; may be "".
std::string explain_missing_kernel(std::string_view source, const std::string& wanted,
                                   const std::string& signature);

}  // namespace warpmark
