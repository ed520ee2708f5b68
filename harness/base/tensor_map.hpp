// The description of a tensor map (TMA) as suites, plans and workers have it, and its rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "base/words.hpp"

namespace warpmark {

// The enumerations of cuTensorMapEncodeTiled, in the order of cuda.h.
enum class TensorType : uint8_t {
  uint8,
  uint16,
  uint32,
  int32,
  uint64,
  int64,
  float16,
  float32,
  float64,
  bfloat16,
  float32_ftz,
  tf32,
  tf32_ftz
};
constexpr auto words(TensorType /*type*/) {
  return words_are("uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32",
                   "float64", "bfloat16", "float32_ftz", "tf32", "tf32_ftz");
}
enum class TensorInterleave : uint8_t { none, bytes_16, bytes_32 };
constexpr auto words(TensorInterleave /*layout*/) {
  return words_are("none", "16B", "32B");
}
enum class TensorSwizzle : uint8_t { none, bytes_32, bytes_64, bytes_128 };
constexpr auto words(TensorSwizzle /*pattern*/) {
  return words_are("none", "32B", "64B", "128B");
}
enum class TensorPromotion : uint8_t { none, bytes_64, bytes_128, bytes_256 };
constexpr auto words(TensorPromotion /*size*/) {
  return words_are("none", "64B", "128B", "256B");
}
enum class TensorFill : uint8_t { zero, nan };
constexpr auto words(TensorFill /*value*/) {
  return words_are("zero", "nan");
}

/// The settings of a tensor map that are words. The table below has their keys in a suite.
struct TensorMapSettings {
  std::optional<TensorType> dtype;  ///< nothing: that of the array
  TensorInterleave interleave = TensorInterleave::none;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorPromotion l2_promotion = TensorPromotion::none;
  TensorFill fill = TensorFill::zero;  ///< value of elements outside of the tensor
  friend bool operator==(const TensorMapSettings&, const TensorMapSettings&) = default;
};

/// Calls `visit(key, member)` for each of the settings.
template <typename Settings, typename Visit>
void each_setting(Settings& settings, const Visit& visit) {
  visit("dtype", settings.dtype);
  visit("interleave", settings.interleave);
  visit("swizzle", settings.swizzle);
  visit("l2_promotion", settings.l2_promotion);
  visit("fill", settings.fill);
}

/// The keys of the settings, each with its words, in the table's order.
const std::vector<std::pair<std::string, std::vector<std::string>>>& tensor_map_words();

/// The type for elements of a dtype: the one of its name, else the unsigned integer of its size;
/// nothing if no tensor map has such elements.
std::optional<TensorType> tensor_type_of(const DType& dtype);
uint32_t bytes_of(TensorType type);

/// A tensor map with all of its numbers. Axes are in NumPy's order, the last varying fastest; the
/// driver's order is the reverse.
struct TensorMapForm {
  TensorType type = TensorType::uint8;
  TensorMapSettings settings;
  std::vector<uint64_t> shape;    ///< elements
  std::vector<uint64_t> strides;  ///< bytes, of all axes but the last
  std::vector<uint64_t> box, element_strides;
  uint64_t lead = 0;  ///< bytes from the beginning of an allocation to the first element
};

/// A rule that a form does not keep: the key in a suite, the reason with its number, and advice.
struct TensorMapProblem {
  std::string key, text, hint;
};

/// The first of the driver's rules (cuda.h, cuTensorMapEncodeTiled) that the form does not keep.
std::optional<TensorMapProblem> problem_of(const TensorMapForm& form);

/// The bytes from the tensor's first element to the end of its last.
uint64_t extent_of(const TensorMapForm& form);

}  // namespace warpmark
