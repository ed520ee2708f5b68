#include "runtime/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <ranges>
#include <variant>

#include "base/text.hpp"
#include "runtime/element.hpp"
#include "runtime/float64_tolerance.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

namespace {

// Reports the placeholder of `new suite` separately, since it is no mistake in an expression.
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

// True if a tolerance of the whole suite may be meant for other outputs than this one: another
// output has it, too, and may be of floats, or the dtype depends on an axis, and is a float
// elsewhere.
bool is_shared(const Plan& plan, const Expected& expected) {
  const bool varies = std::ranges::any_of(plan.point, [](const PlanAxis& axis) {
    const auto* name = std::get_if<std::string>(&axis.value);
    return name != nullptr && find_dtype(*name);
  });
  return varies || std::ranges::any_of(plan.expected, [&](const Expected& other) {
           const Buffer* buffer = plan.find_buffer(other.output);
           return other.output != expected.output && other.tolerance == expected.tolerance &&
                  (buffer == nullptr || !buffer->dtype || is_float(buffer->dtype));
         });
}

// Throws for a tolerance of integers or booleans, which are equal or wrong: a tolerance would have
// no effect.
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

namespace {

// |x − e| of each part is compared with atol + rtol · |e|, where |e| is that of the complex number.
void use_modulus(std::vector<PartExpectation>& parts, const DType& dtype, const Shape& shape) {
  if (dtype.kind != DTypeKind::complex || !parts.front().expectation.rtol) return;
  const auto count = static_cast<size_t>(element_count(shape));
  const auto number_at = [&](size_t part, size_t index) {
    const ReferenceValue& value = parts[part].expectation.reference;
    return with_element_type(value.dtype, [&](auto type) -> double {
      using Element = decltype(type);
      if constexpr (std::is_same_v<Element, BoolByte>)
        return 0;
      else
        return static_cast<double>(
            warpmark::number(load_element<Element>(value.bytes.data(), index)));
    });
  };
  const auto bound_at = [](std::span<const double> bounds, size_t index) {
    return bounds.empty() ? 0.0 : bounds[bounds.size() == 1 ? 0 : index];
  };
  auto bounds = std::make_shared<std::vector<double>>(count);
  for (size_t i = 0; i < count; ++i) {
    const double modulus = std::hypot(number_at(0, i), number_at(1, i));
    // Numbers that are not finite are compared by their class.
    const double relative = std::isfinite(modulus) ? modulus : 0;
    (*bounds)[i] = bound_at(doubles(parts[0].expectation.atol), i) +
                   bound_at(doubles(parts[0].expectation.rtol), i) * relative;
  }
  for (PartExpectation& part : parts) {
    part.expectation.rtol.reset();
    part.expectation.atol = ReferenceValue{*find_dtype("float64"), shape,
                                           std::as_bytes(std::span<const double>(*bounds)), bounds};
  }
}

}  // namespace

std::span<const std::byte> part_bytes(const DType& dtype, std::span<const std::byte> elements,
                                      const Leaf& leaf, std::vector<std::byte>& copy) {
  if (leaf.path.empty()) return elements;
  const size_t bytes = static_cast<size_t>(element_count(leaf.shape)) * leaf.dtype.bytes;
  const size_t count = elements.size() / dtype.bytes;
  copy.resize(count * bytes);
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(elements.begin() + static_cast<ptrdiff_t>(i * dtype.bytes + leaf.offset), bytes,
                copy.begin() + static_cast<ptrdiff_t>(i * bytes));
  }
  return copy;
}

void set_part(const DType& dtype, std::span<std::byte> elements, const Leaf& leaf,
              std::span<const std::byte> part) {
  const size_t bytes = static_cast<size_t>(element_count(leaf.shape)) * leaf.dtype.bytes;
  for (size_t i = 0; i < elements.size() / dtype.bytes; ++i) {
    std::memcpy(elements.data() + i * dtype.bytes + leaf.offset, part.data() + i * bytes, bytes);
  }
}

std::vector<PartExpectation> evaluate_expectation(Interpreter& python, const PlannedCase& planned,
                                                  const PythonScope& scope,
                                                  const Expected& expected, const DType& dtype,
                                                  const Shape& shape) {
  require_written(planned, expected);
  const auto value_of = [&](const NumpyText& text) {
    return evaluate(python, text, planned.positions, scope);
  };
  const Tolerance& tolerance = expected.tolerance;
  const bool has_floats = dtype.kind == DTypeKind::floating || dtype.kind == DTypeKind::complex;
  if (tolerance.kind == ToleranceKind::from_float64 &&
      (has_floats || dtype.kind == DTypeKind::record)) {
    std::vector<PartExpectation> parts =
        from_float64(python, planned, scope, expected, dtype, shape);
    use_modulus(parts, dtype, shape);
    return parts;
  }
  const Value reference = value_of(expected.value);
  std::vector<PartExpectation> parts;
  for (Leaf& leaf : leaves_of(dtype)) {
    Shape whole = shape;
    whole.insert(whole.end(), leaf.shape.begin(), leaf.shape.end());
    const auto bound = [&](const std::optional<NumpyText>& text) -> std::optional<ReferenceValue> {
      if (!text) return std::nullopt;
      ReferenceValue value = to_tolerance(value_of(*text), whole);
      // The tolerance of a struct is for its floats.
      if (dtype.kind != DTypeKind::record)
        refuse_idle(tolerance, value, *text, planned, expected, leaf.dtype);
      return value;
    };
    Expectation one{
        to_reference(part_of(reference, dtype, leaf), leaf.dtype, whole),
        tolerance.kind == ToleranceKind::from_float64 ? ToleranceKind::exact : tolerance.kind,
        tolerance.nan,
        bound(tolerance.ulp),
        bound(tolerance.rtol),
        bound(tolerance.atol)};
    parts.push_back({std::move(leaf), std::move(whole), std::move(one)});
  }
  use_modulus(parts, dtype, shape);
  return parts;
}

}  // namespace warpmark
