// The facts known about a kernel without a suite: types from the compiler, names from the source.
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
  std::string name;      ///< name in the source, or "arg0" if it is not found there
  bool is_found = true;  ///< the name was found
  std::string type;      ///< C++, as a demangler writes it; "" if unknown
  size_t bytes = 0;
  bool is_array = false;
  bool is_const = false;       ///< for an array: its elements are const
  std::optional<DType> dtype;  ///< of the value, or of an array's elements; nothing for a type that
                               ///< is no number
  size_t members = 1;          ///< numbers in an element, such as 4 in a float4
  std::string obstacle;        ///< why a suite cannot pass it; "" if it can
};

struct DraftKernel {
  std::string entry;  ///< its name in suites
  std::vector<KernelParameter> parameters;
  KernelBounds bounds;
  size_t dimensions = 1;  ///< dimensions of the grid and block that it uses
  bool has_dynamic_shared = false;
  bool is_guessed = false;  ///< the arguments of the template are
};

/// Describes one of `made`'s entries. `sources` are its file and then the headers, where parameters
/// are looked for by name.
DraftKernel draft_kernel(const Entry& entry, const CompileResult& made,
                         const std::vector<std::string_view>& sources);

/// An instance of a template, "scale<float, 32>": float for types, 32 for integers and true for
/// booleans; parameters with a default are left out. "" if a parameter is of another kind.
std::string guessed_instance(const DeclaredKernel& kernel);

/// The text of an entry in PTX, from its name to the next function.
std::string_view entry_text(std::string_view ptx, const std::string& symbol);

}  // namespace warpmark
