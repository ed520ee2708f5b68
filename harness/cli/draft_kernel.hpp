// What is known of a kernel before anybody wrote a suite for it: from the compiler, names from the
// source.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "compiler/compiler.hpp"
#include "compiler/declared_kernels.hpp"

namespace warpmark {

struct KernelParameter {
  std::string name;      ///< in the source, or "arg0" where it is not found there
  bool is_found = true;  ///< the name
  std::string type;      ///< C++, as a demangler writes it; "" if unknown
  size_t bytes = 0;
  bool is_array = false;
  bool is_const = false;       ///< of an array: its elements
  std::optional<DType> dtype;  ///< of the value, or of an array's elements; nothing: no number
  size_t members = 1;          ///< of an element, as of float4
  std::string obstacle;        ///< why a suite cannot give it; "" if it can
};

struct DraftKernel {
  std::string entry;  ///< as a suite names it
  std::vector<KernelParameter> parameters;
  KernelBounds bounds;
  size_t dimensions = 1;  ///< of the grid and block that it asks for
  bool has_dynamic_shared = false;
};

/// Of one of `made`'s entries. `sources` are its file and then the headers, where parameters are
/// looked for by name.
DraftKernel draft_kernel(const Entry& entry, const CompileResult& made,
                         const std::vector<std::string_view>& sources);

/// The text of an entry in PTX, from its name to the next function.
std::string_view entry_text(std::string_view ptx, const std::string& symbol);

}  // namespace warpmark
