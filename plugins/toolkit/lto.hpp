// LTO IR to PTX, by the nvJitLink of the toolkit.
#pragma once

#include <string>
#include <vector>

namespace warpmark::toolkit {

// nvJitLinkInputType, as nvJitLink.h numbers it. A toolkit of wheels has no such header.
enum class InputType : int {
  cubin = 1,
  ptx,
  lto_ir,
  fatbin,
  object,
  library,
  index,
  any = 10,
};

struct LtoInput {
  InputType type;  ///< lto_ir, or fatbin with LTO IR alone
  std::string content, name;
};
struct LtoResult {
  int result = 0;  ///< an nvJitLinkResult
  std::string ptx, errors, info;
};

/// Returns whether there is such a library, without opening it.
bool can_compile_lto();

/// One PTX text for all inputs, which may name functions of other texts.
LtoResult compile_lto(const std::vector<std::string>& options, const std::vector<LtoInput>& inputs);

/// The version of that library; false if there is none.
bool lto_version(unsigned int* major, unsigned int* minor);

}  // namespace warpmark::toolkit
