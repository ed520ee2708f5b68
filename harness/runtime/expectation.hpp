// What a case's output must be: its reference and tolerance, evaluated.
#pragma once

#include <optional>

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

  /// For `compare`; it points into this.
  ComparisonRule rule() const;
};

/// Evaluates the reference and tolerance of one output of `dtype` and `shape`; `scope` is
/// reference_scope's. Throws verdict errors at their places in the suite, also for a tolerance that
/// no output of floats has.
Expectation evaluate_expectation(Interpreter& python, const PlannedCase& planned,
                                 const PythonScope& scope, const Expected& expected,
                                 const DType& dtype, const Shape& shape);

}  // namespace warpmark
