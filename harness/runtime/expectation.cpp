#include "runtime/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <variant>

#include "base/text.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

namespace {

// What `new suite` leaves is no mistake in an expression.
void require_written(const PlannedCase& planned, const Expected& expected) {
  if (expected.value.function || trim(expected.value.text) != kUnwrittenReference) return;
  throw verdict_error(
      fmt::format("the reference of `{}` is still to be written", expected.output),
      planned.positions.find(expected.value.at),
      "put NumPy in the place of TODO, over the inputs as they were before the launch");
}

std::span<const double> doubles(const std::optional<ReferenceValue>& value) {
  if (!value) return {};
  return {reinterpret_cast<const double*>(value->bytes.data()),
          value->bytes.size() / sizeof(double)};
}

bool is_float(const std::optional<DType>& dtype) {
  return dtype && dtype->kind == DTypeKind::floating;
}

// Whether a tolerance of the whole suite may be meant for other outputs than this one: another one
// has it, too, and may be of floats, or the dtype is an axis's, and a float elsewhere.
bool is_shared(const Plan& plan, const Expected& expected) {
  const bool varies = std::any_of(plan.point.begin(), plan.point.end(), [](const PlanAxis& axis) {
    const auto* name = std::get_if<std::string>(&axis.value);
    return name != nullptr && find_dtype(*name);
  });
  return varies ||
         std::any_of(plan.expected.begin(), plan.expected.end(), [&](const Expected& other) {
           const Buffer* buffer = plan.find_buffer(other.output);
           return other.output != expected.output && other.tolerance == expected.tolerance &&
                  (buffer == nullptr || !buffer->dtype || is_float(buffer->dtype));
         });
}

// Integers and booleans are equal or wrong: who gives them a tolerance would wait for it in vain.
void refuse_idle(const Tolerance& tolerance, const ReferenceValue& bound, const NumpyText& text,
                 const PlannedCase& planned, const Expected& expected, const DType& dtype) {
  const bool none = std::ranges::all_of(doubles(bound), [](double value) { return value == 0; });
  if (is_float(dtype) || none || is_shared(planned.plan, expected)) return;
  throw verdict_error(
      fmt::format("`{}` of {} cannot have a tolerance: only floats are compared by {}",
                  expected.output, dtype.name,
                  tolerance.kind == ToleranceKind::ulp ? "ulp" : "rtol and atol"),
      planned.positions.find(text.at), "integers and booleans must be equal: write `exact`");
}

}  // namespace

ComparisonRule Expectation::rule() const {
  return {kind, nan, doubles(ulp), doubles(rtol), doubles(atol)};
}

Expectation evaluate_expectation(Interpreter& python, const PlannedCase& planned,
                                 const PythonScope& scope, const Expected& expected,
                                 const DType& dtype, const Shape& shape) {
  require_written(planned, expected);
  const auto value_of = [&](const NumpyText& text) {
    return evaluate(python, text, planned.positions, scope);
  };
  const Tolerance& tolerance = expected.tolerance;
  const auto bound = [&](const std::optional<NumpyText>& text) -> std::optional<ReferenceValue> {
    if (!text) return std::nullopt;
    ReferenceValue value = to_tolerance(value_of(*text), shape);
    refuse_idle(tolerance, value, *text, planned, expected, dtype);
    return value;
  };
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
