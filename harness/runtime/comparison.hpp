// Compares a kernel's output with the expected values, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/words.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// Contiguous elements of one type, at any alignment; `bytes` holds a whole number of them.
struct TypedBytes {
  DType dtype;
  std::span<const std::byte> bytes;
  size_t count() const { return bytes.size() / dtype.bytes; }
};

/// How near a float x must come to its expected value e:
///   exact  x = r (−0 equals 0), where r is e rounded once to the output's dtype, ties to even
///   ulp    |x − r| ≤ max(ulp · spacing(r), atol), atol for values near 0; spacing is the distance from r to the next magnitude of the
///          output's dtype, so 2^-23 at 1.0F, and the smallest subnormal at and near 0. An ulp of 0
///          is exact, of 1 allows r's neighbours (and below a power of two, where values lie twice
///          as dense, one more)
///   close  |x − e| ≤ atol + rtol · |e|, e at the reference's own width
/// A finite e that is too great for the output's dtype rounds to infinity, as in NumPy's astype: in
/// exact and ulp that infinity is then the expected value; in close e stays finite, and no infinity
/// is near it. An e that is an integer counts as it is: it, too, is rounded once.
/// Bounds are float64: one value, or one for each element of the output. Sums and products of
/// finite ones never overflow. They are for floats alone: integers and booleans must be equal
/// whatever they say.
struct ComparisonRule {
  ToleranceKind kind = ToleranceKind::exact;
  NanPolicy nan = NanPolicy::equal;  ///< forbid: a NaN on either side is wrong
  std::span<const double> ulp = {}, rtol = {}, atol = {};  ///< empty counts as 0
};

enum class MismatchKind : uint8_t {
  value,     ///< both finite, and further apart than the bound
  nan,       ///< one is NaN, or both and the rule forbids it
  infinity,  ///< one is infinite and the other differs
  bound,     ///< both finite, but the bound, or ulp, rtol or atol, is negative or not finite
  unwritten  ///< still the poison from before the launch, in whole or in part
};
constexpr auto words(MismatchKind) {
  return words_are("value", "nan", "infinity", "bound", "unwritten");
}

struct Mismatch {
  MismatchKind kind = MismatchKind::value;
  size_t index = 0;      ///< in C order
  std::string actual;    ///< shortest text that reads back to the same value
  std::string expected;  ///< at the reference's own width
  std::string error;     ///< |x − e| or |x − r|; "" unless both are finite
  std::string bound;     ///< of that error, 0 if exact; "" unless both are finite
  std::string ulp = {};  ///< |x − r| / spacing(r), for floats of kind `value` whose r is finite
  std::vector<size_t> position = {};  ///< in records alone: the subscripts
};

inline constexpr size_t kMostListed = 5;

struct Comparison {
  size_t elements = 0;
  size_t wrong = 0;      ///< elements that fail, unwritten ones included
  size_t unwritten = 0;  ///< wrong elements that still hold the poison
  size_t in_part = 0;    ///< unwritten elements of which some bytes were written
  /// Other wrong elements that have the poison in two bytes or more: a narrower type was stored.
  size_t narrow = 0;
  /// Right elements that equal the poison, or would be right with any value in the part of them
  /// that equals it: only a second launch with another poison can tell whether they were written.
  size_t doubtful = 0;
  size_t by_value = 0;            ///< wrong elements of kind `value`
  std::optional<Mismatch> first;  ///< wrong element with the lowest index
  std::vector<Mismatch> next;     ///< the wrong elements after it, up to kMostListed together with
                                  ///< it
  /// The mismatch of kind `value` with the greatest error / bound (then error, then lowest index),
  /// if any.
  std::optional<Mismatch> worst;
  bool passed() const { return wrong == 0; }
  /// True if all that is wrong, but for unwritten elements, was written in part.
  bool is_narrow() const { return narrow > 0 && narrow + unwritten == wrong; }
};

/// The same output after an earlier launch, before which it was filled with another poison.
struct EarlierLaunch {
  std::span<const std::byte> bytes;  ///< empty if there was no earlier launch
  std::byte poison{};
};

/// Compares in this order: class (NaN, +inf, −inf, finite) must match, and matching infinities and
/// (unless forbidden) NaNs of any sign and payload are right whatever the bound; finite floats by
/// error and bound in float64 (long double for float64 outputs), as `!(error <= bound)`, so that a
/// NaN on the way fails. Integers exactly, in the integer domain. Booleans too, where an expected
/// byte other than 0 means True and must be met by a 1: a kernel that leaves a 2 has written no
/// bool.
///
/// `expected` has as many elements as `actual`, or one for all; its dtype is the output's or wider
/// in the same kind (integers: of any signedness), or an integer for a float. `poison` is the byte
/// that filled the output before the launch; nothing if it was not poisoned. A byte that is the
/// poison here and was the other poison after an `earlier` launch was never written, even if the
/// element is near the expected value: bytes that a kernel stores do not follow the poison. Stores
/// have at least two bytes, or one for elements of up to two. Throws an internal error for bytes,
/// counts or dtypes that do not fit.
Comparison compare(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule,
                   std::optional<std::byte> poison, const EarlierLaunch& earlier = {});

/// Finds the elements that were never written, by the rules of `compare`, if any value is right:
/// `doubtful` elements need a second launch. Mismatches have no expected text.
Comparison compare_written(const TypedBytes& actual, std::byte poison,
                           const EarlierLaunch& earlier = {});

/// The text of one element: "0.5", "-3", "True", "nan"; a bool that is neither 0 nor 1 as a number.
/// Throws an internal error for an index past the end.
std::string element_text(const TypedBytes& array, size_t index);

}  // namespace warpmark
