// The facts known about a kernel without a suite: types from the compiler, names from the source.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "cli/draft/source_facts.hpp"
#include "compiler/compiler.hpp"

namespace warpmark {

/// The ways in which a suite gives a parameter.
enum class ParameterRole : uint8_t {
  value,     ///< `scalar`
  array,     ///< `in`, `inout` or `out`
  pointers,  ///< an array of pointers to arrays
  texture,
  surface,
  tensor_map
};

struct KernelParameter {
  std::string name;      ///< name in the source, or "arg0" if it is not found there
  bool is_found = true;  ///< the name was found
  std::string type;      ///< C++, as a demangler writes it; "" if unknown
  size_t bytes = 0;
  ParameterRole role = ParameterRole::value;
  bool is_const = false;             ///< elements of the array or arrays are const
  std::optional<DType> dtype;        ///< of the value or the elements; nothing gives them as bytes
  size_t members = 1;                ///< numbers in an element, such as 4 in a float4
  bool is_enum = false;              ///< whose dtype the compiler does not report
  std::vector<DraftStruct> structs;  ///< of a dtype that is a struct, itself last
  size_t image_axes = 0;             ///< of a texture or surface, or of the boxes of a tensor map
  std::string obstacle;              ///< why a suite cannot pass it; "" if it can
};

/// A variable that the suite sets under `constants`.
struct DraftConstant {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
};

struct DraftKernel {
  std::string entry;   ///< its name in suites
  std::string symbol;  ///< its name in the PTX
  std::vector<KernelParameter> parameters;
  std::vector<DraftConstant> constants;  ///< draft_constants() finds them
  KernelBounds bounds;
  size_t dimensions = 1;  ///< dimensions of the grid and block that it uses
  bool has_dynamic_shared = false;
  bool is_guessed = false;  ///< the arguments of the template are

  /// The structs of all parameters, each once and after those in its fields.
  std::vector<DraftStruct> structs() const;
  /// Gives what has this struct as bytes, because the compiler lays it out otherwise.
  void forget_struct(const std::string& name);
};

/// Describes one of `made`'s entries; `facts` are of its file and the headers.
DraftKernel draft_kernel(const Entry& entry, const CompileResult& made, const SourceFacts& facts);

/// Those of the variables that the kernel reads, with numbers as elements. `ptx` is of the unit.
std::vector<DraftConstant> draft_constants(const DraftKernel& kernel,
                                           const std::vector<VariableFacts>& variables,
                                           std::string_view ptx);

/// Instances of a template that are worth a try, the likeliest first: "ns::scale<float, 32>". Types
/// are float, booleans true, integers 32, 4 or 1, and of an enumeration the value 0; parameters with
/// a default are left out. None for a template of templates.
std::vector<std::string> guessed_instances(const DeclaredKernel& kernel);

/// The text of an entry in PTX, from its name to the next function.
std::string_view entry_text(std::string_view ptx, const std::string& symbol);

}  // namespace warpmark
