// Contents of arrays that a search tries in place of an argument's value: patterns by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"

namespace warpmark {

/// How much a pattern asks of a kernel; each class includes those before it. Words of
/// `values: {any: …}`.
enum class ContentClass : uint8_t {
  finite,      ///< finite numbers of a moderate size, in orders and places that code forgets
  special,     ///< also NaN, infinities, negative zeros and subnormal numbers
  adversarial  ///< also the greatest and least numbers, and sums that cancel
};
constexpr auto words(ContentClass) {
  return words_are("finite", "special", "adversarial");
}

/// A pattern of contents. python/contents.py makes its arrays.
struct ContentPattern {
  std::string_view name;  ///< as in case ids: "descending"
  ContentClass least = ContentClass::finite;
  bool real_only = false;  ///< integers and booleans do not have it
  std::string_view about;  ///< a sentence for the reference
};

/// All patterns, the simplest first: a search that makes a failure smaller tries them in this order.
const std::vector<ContentPattern>& content_patterns();

/// Tells whether integers and booleans do not have the pattern of that name.
bool is_real_only(std::string_view pattern);

/// The names of the patterns of a class.
std::vector<std::string> pattern_names(ContentClass which);

/// An array argument, and the name of the pattern that it has.
struct ArgumentContents {
  std::string argument;
  std::string pattern;
  friend bool operator==(const ArgumentContents&, const ArgumentContents&) = default;
};

}  // namespace warpmark
