// Every symbol of libcuda: which are implemented, how often the others were called.
#pragma once

#include <cstdint>
#include <span>

namespace warpmark::cpu {

/// A row of symbols.def.
struct Symbol {
  const char* name;  ///< as exported: cuMemcpyHtoD_v2
  const char* base;  ///< what cuGetProcAddress calls it: cuMemcpyHtoD
  int version;       ///< CUDA version of this form: 12040 is 12.4
  bool implemented;
  bool exported;        ///< false: only cuGetProcAddress gives it
  void (*function)();   ///< of the signature that cuda.h has for it
  const char* variant;  ///< suffix of the form for per-thread default streams, or null
  int variant_version;
  void (*variant_function)();
};

/// In order of symbols.def.
std::span<const Symbol> symbols();

/// How often the stub of symbols()[index] was called, its variant included.
std::uint64_t stub_calls(std::size_t index);

}  // namespace warpmark::cpu
