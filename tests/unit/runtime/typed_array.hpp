// Arrays of any dtype for tests, and the comparison of two of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/comparison.hpp"
#include "runtime/element.hpp"

namespace warpmark {

constexpr std::byte kPoison{0xA5};

/// Owns its elements, one byte off any alignment that they could want.
class TypedArray {
 public:
  TypedArray(std::string_view dtype, size_t count)
      : dtype_(find_dtype(dtype).value()), storage_(1 + count * dtype_.bytes) {}

  /// From numbers, cast to the dtype; T should hold them exactly.
  template <typename T>
  static TypedArray of(std::string_view dtype, const std::vector<T>& values) {
    TypedArray array(dtype, values.size());
    for (size_t i = 0; i < values.size(); ++i) array.set(i, values[i]);
    return array;
  }

  size_t count() const { return view().count(); }
  const DType& dtype() const { return dtype_; }
  std::byte* at(size_t index) { return storage_.data() + 1 + index * dtype_.bytes; }
  TypedBytes view() const { return {dtype_, std::span(storage_).subspan(1)}; }

  template <typename T>
  void set(size_t index, T value) {
    with_element_type(dtype_, [&](auto element) {
      using Element = decltype(element);
      if constexpr (std::is_same_v<Element, BoolByte>) {
        element.byte = static_cast<uint8_t>(value);
      } else if constexpr (std::is_same_v<Element, Float16>) {
        element = to_float16(static_cast<double>(value));
      } else if constexpr (kIsNarrow<Element>) {
        element = to_narrow<Element>(static_cast<double>(value));
      } else {
        element = static_cast<Element>(value);
      }
      std::memcpy(at(index), &element, sizeof element);
    });
  }

  void poison(size_t index) { std::memset(at(index), static_cast<int>(kPoison), dtype_.bytes); }

 private:
  DType dtype_;
  std::vector<std::byte> storage_;
};

inline Comparison compare(const TypedArray& actual, const TypedArray& expected,
                          const ComparisonRule& rule = {}) {
  return compare(actual.view(), expected.view(), rule, kPoison);
}

/// The same numbers on both sides in the same or another dtype.
inline Comparison compare_reals(std::string_view output, const std::vector<double>& actual,
                                std::string_view reference, const std::vector<double>& expected,
                                const ComparisonRule& rule = {}) {
  return compare(TypedArray::of(output, actual), TypedArray::of(reference, expected), rule);
}

}  // namespace warpmark
