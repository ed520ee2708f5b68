// The C++ type behind each dtype, and what comparing needs to know of it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/narrow_float.hpp"
#include "runtime/float16.hpp"

namespace warpmark {

/// A bool as its byte: other values than 0 and 1 must not become a C++ bool.
struct BoolByte {
  uint8_t byte = 0;
};

template <typename T>
constexpr bool kIsNarrow = false;
template <typename Bits, int kExponent, int kFraction, bool kHasInfinity>
constexpr bool kIsNarrow<NarrowFloat<Bits, kExponent, kFraction, kHasInfinity>> = true;

template <typename T>
constexpr bool kIsReal = std::is_floating_point_v<T> || std::is_same_v<T, Float16> || kIsNarrow<T>;

/// The element at `index` of an array at any alignment.
template <typename T>
T load_element(const std::byte* array, size_t index) {
  T value;
  std::memcpy(&value, array + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `action` with a value of the dtype's C++ type, for its type alone. Throws an internal error
/// for complex numbers and structs, which are looked at by their parts (leaves_of).
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
      if (dtype.name == "bfloat16") return action(BFloat16{});
      if (dtype.name == "float8_e4m3fn") return action(Float8E4M3{});
      if (dtype.name == "float8_e5m2") return action(Float8E5M2{});
      if (dtype.bytes == 2) return action(Float16{});
      if (dtype.bytes == 4) return action(float{});
      return action(double{});
    case DTypeKind::complex:
    case DTypeKind::record:
      break;
  }
  throw internal_error("elements of " + std::string(dtype.name) + " are no single numbers");
}

/// A number as one of C++ that has fractions: exact. An integer of 64 bits needs a long double.
inline float number(Float16 value) {
  return to_float(value);
}
template <typename Narrow>
requires kIsNarrow<Narrow>
float number(Narrow value) {
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
  } else if constexpr (kIsNarrow<Output>) {
    return to_float(to_narrow<Output>(static_cast<double>(value)));
  } else {
    return static_cast<Output>(value);
  }
}

template <typename Output>
struct FloatFormat {
  static constexpr bool half = std::is_same_v<Output, Float16>;
  static constexpr bool single = std::is_same_v<Output, float>;
  static constexpr int smallest = half ? -14 : single ? -126 : -1022;  ///< exponent
  static constexpr int fraction = half ? 10 : single ? 23 : 52;        ///< bits
};
template <typename Narrow>
requires kIsNarrow<Narrow>
struct FloatFormat<Narrow> {
  static constexpr int smallest = Narrow::least_exponent;
  static constexpr int fraction = Narrow::fraction_bits;
};

/// The distance from a finite value of `Output` to the next magnitude: 2^(e − fraction bits), where
/// e is the value's exponent, but at least that of the smallest normal value.
template <typename Output>
double spacing(double value) {
  constexpr int kSmallest = FloatFormat<Output>::smallest;
  constexpr int kFraction = FloatFormat<Output>::fraction;
  const int own = static_cast<int>((std::bit_cast<uint64_t>(value) >> 52) & 0x7ff) - 1023;
  const int exponent = (own > kSmallest ? own : kSmallest) - kFraction;
  if (exponent >= -1022) return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
  return std::bit_cast<double>(uint64_t{1} << (exponent + 1074));  // itself subnormal
}

}  // namespace warpmark
