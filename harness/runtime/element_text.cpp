#include "runtime/element_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/error.hpp"
#include "runtime/element.hpp"

namespace warpmark {
namespace {

// Longer than any shortest text of a number here; a long double takes at most 27 characters.
constexpr size_t kLongest = 64;

template <typename T>
std::string shortest(T value) {
  char text[kLongest];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <typename T>
std::string real(T value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return shortest(value);
}

/// to_chars knows no such float: take the fewest digits that round to the same one. Five always do.
template <typename Float, typename Round>
std::string short_text(Float half, const Round& round) {
  const float value = to_float(half);
  if (!std::isfinite(value)) return real(value);
  char text[kLongest];
  for (int digits = 1; digits <= 5; ++digits) {
    const auto written =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1);
    double read = 0;
    std::from_chars(text, written.ptr, read);
    // As a double these digits print as themselves, in the notation that is shorter.
    if (round(read).bits == half.bits) return shortest(read);
  }
  return shortest(value);
}

}  // namespace

std::string decimal_text(Unsigned128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::ranges::reverse(digits);
  return digits;
}

std::string real_text(double value) {
  return real(value);
}

std::string real_text(long double value) {
  const auto near = static_cast<double>(value);
  const bool lost = std::isfinite(value) && (std::isinf(near) || (near == 0 && value != 0));
  return lost ? real(value) : real(near);
}

std::string element_text(const TypedBytes& array, size_t index) {
  if (index >= array.count()) {
    throw internal_error("element " + std::to_string(index) + " of an array of " +
                         std::to_string(array.count()));
  }
  return with_element_type(array.dtype, [&](auto type) -> std::string {
    using Element = decltype(type);
    const auto element = load_element<Element>(array.bytes.data(), index);
    if constexpr (std::is_same_v<Element, BoolByte>) {
      return element.byte > 1 ? std::to_string(element.byte) : element.byte == 1 ? "True" : "False";
    } else if constexpr (std::is_same_v<Element, Float16>) {
      return short_text(element, to_float16);
    } else if constexpr (kIsNarrow<Element>) {
      return short_text(element, to_narrow<Element>);
    } else if constexpr (std::is_floating_point_v<Element>) {
      return real(element);
    } else {
      return std::to_string(element);
    }
  });
}

}  // namespace warpmark
