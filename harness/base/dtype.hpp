// The element types that kernels and NumPy share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

enum class DTypeKind : uint8_t { boolean, signed_integer, unsigned_integer, floating };

/// One element type: bool, int8 … int64, uint8 … uint64, float16, float32, float64.
struct DType {
  std::string_view name;  ///< NumPy's name, as in "float32"
  DTypeKind kind;
  uint32_t bytes;
  std::string_view c_name;  ///< CUDA C++, as in "float"; float16 is "__half"

  friend bool operator==(const DType& a, const DType& b) { return a.name == b.name; }
};

const std::vector<DType>& all_dtypes();

/// By NumPy name; nothing if there is none.
std::optional<DType> find_dtype(std::string_view name);

/// By the spelling of a C++ type as a demangler or a person writes it ("unsigned int", "const
/// float", "long long", "__half"), LP64; nothing if it is not a scalar of ours.
std::optional<DType> dtype_of_c_type(std::string_view spelling);

}  // namespace warpmark
