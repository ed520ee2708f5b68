// Compares what a kernel wrote with what was expected, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/dtype.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// Contiguous elements of one type; `bytes` holds a whole number of them.
struct TypedBytes {
  DType dtype;
  std::span<const std::byte> bytes;
  size_t count() const { return bytes.size() / dtype.bytes; }
};

/// How near an element must come to its expected value e:
///   exact  equal values (−0 equals 0), after e was rounded once to the output's dtype
///   ulp    |x − e| ≤ ulp · spacing(e), the spacing of the output's dtype at e rounded to it
///   close  |x − e| ≤ atol + rtol · |e|
/// Bounds are float64, one value or one for each element.
struct ComparisonRule {
  ToleranceKind kind = ToleranceKind::exact;
  std::span<const double> ulp, rtol, atol;  ///< empty counts as 0
  NanPolicy nan = NanPolicy::equal;         ///< forbid: a NaN on either side is wrong
};

enum class MismatchKind : uint8_t {
  value,      ///< both finite, and further apart than the bound
  nan,        ///< one is NaN, or both and the rule forbids it
  infinity,   ///< one is infinite and the other is not that infinity
  bound,      ///< the bound itself is negative or not finite
  unwritten   ///< still the poison that was there before the launch
};

struct Mismatch {
  MismatchKind kind = MismatchKind::value;
  size_t index = 0;      ///< in C order
  std::string actual;    ///< shortest text that reads back to the same value
  std::string expected;  ///< at the reference's own width
  std::string error;     ///< |x − e|; "" unless both are finite
  std::string bound;     ///< "" unless both are finite
};

struct Comparison {
  size_t elements = 0;
  size_t wrong = 0;      ///< elements that fail, unwritten ones included
  size_t unwritten = 0;  ///< wrong elements that still hold the poison
  /// Right elements that equal the poison: whether they were written only a second launch with
  /// another poison can tell.
  size_t doubtful = 0;
  std::optional<Mismatch> first;   ///< wrong element with the lowest index
  std::optional<Mismatch> worst;   ///< finite one with the greatest error / bound, if any
  bool passed() const { return wrong == 0; }
};

/// Compares in this order: class (NaN, +inf, −inf, finite) must match; integers and booleans
/// exactly, in the integer domain; finite floats by error and bound in float64 (long double for
/// float64 outputs), as `!(error <= bound)`, so that a NaN on the way fails.
///
/// `expected` has as many elements as `actual`, or one for all; its dtype is the output's or wider
/// in the same kind (integers: of any signedness). `poison` is the byte that filled the output
/// before the launch; nothing if it was not poisoned. Throws an internal error for counts or kinds
/// that do not fit.
Comparison compare(const TypedBytes& actual, const TypedBytes& expected, const ComparisonRule& rule,
                   std::optional<std::byte> poison);

/// The text of one element: "0.5", "-3", "True", "nan".
std::string element_text(const TypedBytes& array, size_t index);

}  // namespace warpmark
