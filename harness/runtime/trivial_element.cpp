#include "runtime/trivial_element.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/element.hpp"

namespace warpmark {
namespace {

template <typename T>
T element_of(double value) {
  if constexpr (std::is_same_v<T, BoolByte>) {
    return {static_cast<uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else if constexpr (kIsNarrow<T>) {
    return to_narrow<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    // Beyond an integer's range a cast has no meaning in C++. 2^63 and 2^64 are doubles, so that
    // below them a double of a 64-bit type's range fits.
    if (std::isnan(value)) return 0;
    const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (value >= above) return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    return static_cast<T>(value);
  }
}

template <typename To, typename From>
To cast_to(From value) {
  if constexpr (std::is_same_v<From, BoolByte>) {
    return element_of<To>(value.byte != 0 ? 1 : 0);
  } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<From> && std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<From>) {
    return element_of<To>(static_cast<double>(value));
  } else {
    return element_of<To>(static_cast<double>(number(value)));
  }
}

template <typename T>
std::vector<std::byte> bytes_of(const T& element) {
  std::vector<std::byte> bytes(sizeof element);
  std::memcpy(bytes.data(), &element, sizeof element);
  return bytes;
}

template <typename From>
std::vector<std::byte> cast_element(From value, const DType& dtype) {
  return with_element_type(dtype,
                           [&](auto type) { return bytes_of(cast_to<decltype(type)>(value)); });
}

}  // namespace

std::vector<std::byte> element_bytes(const DType& dtype, double value) {
  return with_element_type(dtype,
                           [&](auto type) { return bytes_of(element_of<decltype(type)>(value)); });
}

void cast_elements(const TypedBytes& from, const DType& dtype, std::byte* out) {
  with_element_type(from.dtype, [&](auto source) {
    with_element_type(dtype, [&](auto target) {
      for (size_t i = 0; i < from.count(); ++i) {
        target = cast_to<decltype(target)>(load_element<decltype(source)>(from.bytes.data(), i));
        std::memcpy(out + i * sizeof target, &target, sizeof target);
      }
    });
  });
}

std::vector<std::vector<std::byte>> likely_constants(const TypedBytes& expected,
                                                     const DType& dtype) {
  std::vector<std::vector<std::byte>> values;
  const size_t count = expected.count();
  if (count == 0) return values;
  const auto add = [&](std::vector<std::byte> value) {
    if (std::ranges::find(values, value) == values.end()) {
      values.push_back(std::move(value));
    }
  };
  with_element_type(expected.dtype, [&](auto type) {
    using Element = decltype(type);
    const std::byte* const bytes = expected.bytes.data();
    const auto first = load_element<Element>(bytes, 0);
    if constexpr (std::is_same_v<Element, BoolByte>) {
      add(cast_element(first, dtype));
    } else {
      if (dtype.kind != DTypeKind::floating) {
        add(cast_element(first, dtype));
        return;
      }
      if (std::isnan(number(first))) return;  // another answer's
      add(cast_element(first, dtype));
      double least = std::numeric_limits<double>::infinity();
      double greatest = -least;
      for (size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(number(load_element<Element>(bytes, i)));
        if (!std::isfinite(value)) continue;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
      }
      if (!(least < greatest)) return;
      // An absolute bound is used up evenly by the mean, one relative to |e| by the harmonic mean.
      add(element_bytes(dtype, least + 0.5 * (greatest - least)));
      if (least > 0 || greatest < 0) {
        add(element_bytes(dtype, 2 / (1 / least + 1 / greatest)));
      }
    }
  });
  return values;
}

}  // namespace warpmark
