// NumPy's types and how they are promoted (NEP 50, as NumPy 2 does it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark::array {

enum class Category : uint8_t { boolean, integer, real };

/// A dtype, or that of a Python number, which takes the type of what it meets ("weak").
struct Type {
  Category kind = Category::boolean;
  bool is_signed = false;
  int bytes = 1;
  bool weak = false;
  bool operator==(const Type&) const = default;
};

constexpr Type kBool{Category::boolean, false, 1};
constexpr Type kInt8{Category::integer, true, 1};
constexpr Type kInt32{Category::integer, true, 4};
constexpr Type kInt64{Category::integer, true, 8};
constexpr Type kFloat16{Category::real, true, 2};
constexpr Type kFloat32{Category::real, true, 4};
constexpr Type kFloat64{Category::real, true, 8};
constexpr Type kWeakInt{Category::integer, true, 8, true};
constexpr Type kWeakFloat{Category::real, true, 8, true};

/// "float32" as a type, if NumPy has it and the plugin supports it.
std::optional<Type> type_named(std::string_view name);
/// "float32"; of a weak type, "Python int".
std::string name_of(const Type& type);
/// Its type in memory, as in "unsigned short" and "__half".
std::string memory_type(const Type& type);
/// Its type in registers: float16 is computed as float, rounded after each operation.
std::string value_type(const Type& type);

/// The type of a Python number if no other operand decides it: int64 or float64.
Type strong(const Type& type);
/// np.result_type of the types; weak only if all are.
Type result_type(const std::vector<Type>& types);
/// The type in which functions such as np.sqrt compute: float16 for int8, float64 for int64.
Type real_type(const Type& type);
/// np.can_cast(from, to, "same_kind").
bool same_kind(const Type& from, const Type& to);
/// Returns whether an integer is one of the type's values.
bool holds(const Type& type, int64_t value);

}  // namespace warpmark::array
