#include "runtime/expectation.hpp"

#include "runtime/inputs.hpp"

namespace warpmark {

namespace {

std::span<const double> doubles(const std::optional<ReferenceValue>& value) {
  if (!value) return {};
  return {reinterpret_cast<const double*>(value->bytes.data()),
          value->bytes.size() / sizeof(double)};
}

}  // namespace

ComparisonRule Expectation::rule() const {
  return {kind, nan, doubles(ulp), doubles(rtol), doubles(atol)};
}

Expectation evaluate_expectation(Interpreter& python, const PlannedCase& planned,
                                 const PythonScope& scope, const Expected& expected,
                                 const DType& dtype, const Shape& shape) {
  const auto value_of = [&](const NumpyText& text) {
    return evaluate(python, text, planned.positions, scope);
  };
  const auto bound = [&](const std::optional<NumpyText>& text) -> std::optional<ReferenceValue> {
    if (!text) return std::nullopt;
    return to_tolerance(value_of(*text), shape);
  };
  const Tolerance& tolerance = expected.tolerance;
  Expectation result{to_reference(value_of(expected.value), dtype, shape),
                     tolerance.kind,
                     tolerance.nan,
                     std::nullopt,
                     std::nullopt,
                     std::nullopt};
  result.ulp = bound(tolerance.ulp);
  result.rtol = bound(tolerance.rtol);
  result.atol = bound(tolerance.atol);
  return result;
}

}  // namespace warpmark
