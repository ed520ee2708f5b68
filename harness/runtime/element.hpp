// The C++ type behind each dtype, and what comparing needs to know of it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "runtime/float16.hpp"

namespace warpmark {

/// A bool as its byte: other values than 0 and 1 must not become a C++ bool.
struct BoolByte {
  uint8_t byte = 0;
};

template <typename T>
constexpr bool kIsReal = std::is_floating_point_v<T> || std::is_same_v<T, Float16>;

/// The element at `index` of an array at any alignment.
template <typename T>
T load_element(const std::byte* array, size_t index) {
  T value;
  std::memcpy(&value, array + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `action` with a value of the dtype's C++ type, for its type alone.
template <typename Action>
auto with_element_type(const DType& dtype, Action&& action) {
  switch (dtype.kind) {
    case DTypeKind::boolean:
      return action(BoolByte{});
    case DTypeKind::signed_integer:
      if (dtype.bytes == 1) return action(int8_t{});
      if (dtype.bytes == 2) return action(int16_t{});
      if (dtype.bytes == 4) return action(int32_t{});
      return action(int64_t{});
    case DTypeKind::unsigned_integer:
      if (dtype.bytes == 1) return action(uint8_t{});
      if (dtype.bytes == 2) return action(uint16_t{});
      if (dtype.bytes == 4) return action(uint32_t{});
      return action(uint64_t{});
    case DTypeKind::floating:
      if (dtype.bytes == 2) return action(Float16{});
      if (dtype.bytes == 4) return action(float{});
      return action(double{});
  }
  throw internal_error("an array of no dtype");
}

/// A number as one of C++ that has fractions: exact. An integer of 64 bits needs a long double.
inline float number(Float16 value) {
  return to_float(value);
}
inline float number(float value) {
  return value;
}
inline double number(double value) {
  return value;
}
template <typename Integer>
requires std::is_integral_v<Integer>
long double number(Integer value) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  return static_cast<long double>(value);
}

/// A float or an integer rounded once to `Output`, to nearest, ties to even.
template <typename Output, typename Value>
auto rounded_to(Value value) {
  if constexpr (std::is_same_v<Output, Float16>) {
    // An integer that a double rounds is beyond a float16's range before and after.
    return to_float(to_float16(static_cast<double>(value)));
  } else {
    return static_cast<Output>(value);
  }
}

/// The distance from a finite value of `Output` to the next magnitude: 2^(e − fraction bits), where
/// e is the value's exponent, but at least that of the smallest normal value.
template <typename Output>
double spacing(double value) {
  constexpr bool kHalf = std::is_same_v<Output, Float16>;
  constexpr bool kFloat = std::is_same_v<Output, float>;
  constexpr int kSmallest = kHalf ? -14 : kFloat ? -126 : -1022;
  constexpr int kFraction = kHalf ? 10 : kFloat ? 23 : 52;
  const int own = static_cast<int>((std::bit_cast<uint64_t>(value) >> 52) & 0x7ff) - 1023;
  const int exponent = (own > kSmallest ? own : kSmallest) - kFraction;
  if (exponent >= -1022) return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
  return std::bit_cast<double>(uint64_t{1} << (exponent + 1074));  // itself subnormal
}

}  // namespace warpmark
