// The expected values of a case's output: its reference and tolerance, evaluated.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "python/conversion.hpp"
#include "python/interpreter.hpp"
#include "python/scope.hpp"
#include "runtime/comparison.hpp"

namespace warpmark {

struct Expectation {
  ReferenceValue reference;
  ToleranceKind kind = ToleranceKind::exact;
  NanPolicy nan = NanPolicy::equal;
  std::optional<ReferenceValue> ulp, rtol, atol;  ///< float64
  std::string reason = {};  ///< of from_float64: the bound and where it comes from, for people

  /// The rule for `compare`; it points into this object.
  ComparisonRule rule() const;
};

/// The expectation for a part of an output's elements (leaves_of); most dtypes have one part.
struct PartExpectation {
  Leaf leaf;
  Shape shape;  ///< the output's shape, followed by that of an array in a struct
  Expectation expectation;
};

/// Evaluates the reference and tolerance of one output of `dtype` and `shape`; `scope` is
/// reference_scope's. A tolerance holds for each part; rtol of a complex number applies to its
/// modulus. Throws verdict errors at their places in the suite, also for a tolerance without an
/// output of floats.
std::vector<PartExpectation> evaluate_expectation(Interpreter& python, const PlannedCase& planned,
                                                  const PythonScope& scope,
                                                  const Expected& expected, const DType& dtype,
                                                  const Shape& shape);

/// Puts the bytes of a part, as part_bytes gives them, into the elements.
void set_part(const DType& dtype, std::span<std::byte> elements, const Leaf& leaf,
              std::span<const std::byte> part);

/// The bytes of a part, contiguous for all elements; those of a whole element as they are. `copy`
/// holds the bytes that had to be copied.
std::span<const std::byte> part_bytes(const DType& dtype, std::span<const std::byte> elements,
                                      const Leaf& leaf, std::vector<std::byte>& copy);

}  // namespace warpmark
