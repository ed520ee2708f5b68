#include "runtime/float64_tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "base/text.hpp"
#include "runtime/element.hpp"
#include "runtime/inputs.hpp"
#include "runtime/trivial_element.hpp"

namespace warpmark {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostOfElement =
    64;                              // units in the last place: more is not the element's own error
constexpr double kShareInOrder = 4;  // sums in order are nearly the worst there is
constexpr double kTooWide = 1.0 / 16;  // of the greatest value
constexpr size_t kFewElements = 64;
constexpr size_t kMostSamples = 8;
constexpr double kScaleOfFloat64 = 0x1p-29;  // the unit of float64 over that of float32

// The greatest differences of a result from the same in float64.
struct Errors {
  double absolute = 0, relative = 0;
  void add(const Errors& other) {
    absolute = std::max(absolute, other.absolute);
    relative = std::max(relative, other.relative);
  }
};

struct OwnErrors {
  Errors written, in_order;
  double greatest = 0;  ///< magnitude of a result
  void add(const OwnErrors& other) {
    written.add(other.written);
    in_order.add(other.in_order);
    greatest = std::max(greatest, other.greatest);
  }
};

DType dtype_named(const char* name) {
  return *find_dtype(name);
}

// A float, or the parts of a complex number, with other parts; anything else as it is.
DType with_parts(const DType& dtype, bool wide) {
  if (dtype.kind == DTypeKind::complex) return dtype_named(wide ? "complex128" : "complex64");
  if (dtype.kind != DTypeKind::floating) return dtype;
  if (wide) return dtype_named("float64");
  return dtype.bytes == sizeof(double) ? dtype_named("float32") : dtype;
}

TypedBytes parts_of(const DType& dtype, std::span<const std::byte> bytes) {
  if (dtype.kind != DTypeKind::complex) return {dtype, bytes};
  return {dtype_named(dtype.bytes == sizeof(float) * 2 ? "float32" : "float64"), bytes};
}

DType part_dtype(const DType& dtype) {
  return parts_of(dtype, {}).dtype;
}

// The values of a scope in another precision.
class Rescoped {
 public:
  // In `wide`, or at most float32. From `sample` 1 on, elements are changed by up to 2^-7.
  Rescoped(const PythonScope& scope, bool wide, uint64_t sample = 0)
      : wide_(wide), sample_(sample), draws_(sample) {
    for (const auto& [name, entry] : scope.entries()) add(name, entry);
  }
  PythonScope take() { return std::move(scope_); }

 private:
  void add(const std::string& name, const PythonScope::Entry& entry) {
    if (const auto* array = std::get_if<Array>(&entry)) {
      Array other(with_parts(array->dtype(), wide_), array->shape());
      convert(array->dtype(), array->bytes(), other.dtype(), other.bytes(), sample_ > 0);
      scope_.set_array(name, std::move(other));
    } else if (const auto* scalar = std::get_if<NumPyScalar>(&entry)) {
      const DType dtype = with_parts(scalar->dtype, wide_);
      std::vector<std::byte> bytes(scalar->bytes.size() / scalar->dtype.bytes * dtype.bytes);
      convert(scalar->dtype, scalar->bytes, dtype, bytes, false);
      scope_.set_scalar(name, dtype, bytes);
    } else if (const auto* value = std::get_if<PythonValue>(&entry)) {
      scope_.set_value(name, *value);
    } else if (const auto* key = std::get_if<GeneratorKey>(&entry)) {
      scope_.set_generator(*key);
    }
  }

  void convert(const DType& from, std::span<const std::byte> bytes, const DType& to,
               std::span<std::byte> out, bool change) {
    if (from.kind != DTypeKind::complex && from.kind != DTypeKind::floating) {
      std::ranges::copy(bytes, out.begin());
      return;
    }
    const DType part = part_dtype(to);
    cast_elements(parts_of(from, bytes), part, out.data());
    if (!change) return;
    std::vector<double> values(out.size() / part.bytes);
    cast_elements({part, out}, dtype_named("float64"),
                  std::as_writable_bytes(std::span(values)).data());
    for (double& one : values) one *= 1 + static_cast<double>(draws_() >> 11) * 0x1p-53 / 128;
    cast_elements({dtype_named("float64"), std::as_bytes(std::span(values))}, part, out.data());
  }

  bool wide_;
  uint64_t sample_;
  std::mt19937_64 draws_;  // the same everywhere for a seed
  PythonScope scope_;
};

std::vector<double> numbers_of(const ReferenceValue& value) {
  std::vector<double> numbers(value.bytes.size() / value.dtype.bytes);
  cast_elements({value.dtype, value.bytes}, dtype_named("float64"),
                std::as_writable_bytes(std::span(numbers)).data());
  return numbers;
}

double rounded(double value, const DType& dtype) {
  return with_element_type(dtype, [&](auto type) -> double {
    using Element = decltype(type);
    if constexpr (kIsReal<Element>)
      return static_cast<double>(rounded_to<Element>(value));
    else
      return value;
  });
}

double spacing_at(double value, const DType& dtype) {
  return with_element_type(dtype, [&](auto type) -> double {
    using Element = decltype(type);
    if constexpr (kIsReal<Element>)
      return spacing<Element>(value);
    else
      return 0;
  });
}

// The name of the precision in which the reference of such an output is held against float64.
DType working(const DType& output) {
  return output.bytes == sizeof(double) ? dtype_named("float32") : output;
}

class ReferenceErrors {
 public:
  ReferenceErrors(Interpreter& python, const PlannedCase& planned, const PythonScope& scope,
                  const Expected& expected, const DType& dtype, const Shape& shape)
      : python_(python),
        planned_(planned),
        scope_(scope),
        expected_(expected),
        dtype_(dtype),
        leaves_(leaves_of(dtype)),
        errors_(leaves_.size()) {
    for (Leaf& leaf : leaves_) {
      Shape whole = shape;
      whole.insert(whole.end(), leaf.shape.begin(), leaf.shape.end());
      shapes_.push_back(std::move(whole));
    }
    refuse_what_has_no_float64();
    const auto count = static_cast<size_t>(std::max<int64_t>(element_count(shape), 1));
    const size_t samples = std::clamp<size_t>(kFewElements / count, 1, kMostSamples);
    for (uint64_t sample = 0; sample < samples; ++sample) measure(sample);
    // The parts of complex numbers have one bound.
    if (dtype.kind == DTypeKind::complex) {
      errors_[0].add(errors_[1]);
      errors_[1] = errors_[0];
    }
  }

  std::vector<PartExpectation> parts() {
    const Value wide = value_in(Rescoped(scope_, true).take());
    std::vector<PartExpectation> parts;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      Expectation one = expectation(
          to_reference(part_of(wide, dtype_, leaves_[i]), leaves_[i].dtype, shapes_[i]), i);
      parts.push_back({leaves_[i], shapes_[i], std::move(one)});
    }
    return parts;
  }

 private:
  Error refusal(const std::string& why, const std::string& hint) const {
    return verdict_error(
        fmt::format("`from_float64` gives no tolerance for `{}`: {}", expected_.output, why),
        planned_.positions.find(expected_.value.at), hint);
  }

  void refuse_what_has_no_float64() const {
    const std::string own = "write the tolerance, with its reason beside it";
    if (dtype_.kind == DTypeKind::record) throw refusal("it is of structs", own);
    for (const auto& [name, entry] : scope_.entries()) {
      const bool asked = expected_.value.function || has_word(expected_.value.text, name);
      const auto* array = std::get_if<Array>(&entry);
      if (asked && std::holds_alternative<ArrayMap>(entry))
        throw refusal("its reference is what a kernel has computed", own);
      if (asked && array != nullptr && array->dtype().kind == DTypeKind::record)
        throw refusal(fmt::format("`{}` is of structs", name), own);
    }
  }

  Value value_in(const PythonScope& scope) const {
    return evaluate(python_, expected_.value, planned_.positions, scope);
  }

  std::vector<double> numbers(const Value& value, size_t leaf) const {
    return numbers_of(
        to_reference(part_of(value, dtype_, leaves_[leaf]), leaves_[leaf].dtype, shapes_[leaf]));
  }

  void measure(uint64_t sample) {
    PythonScope narrow = Rescoped(scope_, false, sample).take();
    const Value wide = value_in(Rescoped(narrow, true).take());
    const Value written = value_in(narrow);
    std::optional<Value> in_order;
    if (!expected_.value.tensors) {
      narrow.set_in_order();
      try {
        in_order = value_in(narrow);
      } catch (const Error& error) {
        // A library need not take such arrays: then the text as written tells alone.
        if (error.code() != ExitCode::verdict) throw;
      }
    }
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const std::vector<double> right = numbers(wide, i);
      for (const double one : right) {
        if (std::isfinite(one)) errors_[i].greatest = std::max(errors_[i].greatest, std::abs(one));
      }
      std::optional<Errors> as_written = errors_of(numbers(written, i), right, i);
      std::optional<Errors> ordered;
      if (in_order) ordered = errors_of(numbers(*in_order, i), right, i);
      if (!as_written && !ordered) {
        throw refusal(
            fmt::format(
                "it computes in float64 whatever its inputs are, and does not tell what {} is off",
                working(leaves_[i].dtype).name),
            "leave the inputs in their own dtype, without `.astype(…)` or `.double()`");
      }
      if (!as_written) as_written = Errors{ordered->absolute / 2, ordered->relative / 2};
      errors_[i].written.add(*as_written);
      if (ordered) errors_[i].in_order.add(*ordered);
    }
  }

  // The result is empty if the values have more bits than the precision that is asked for.
  std::optional<Errors> errors_of(const std::vector<double>& narrow,
                                  const std::vector<double>& wide, size_t leaf) const {
    const DType& output = leaves_[leaf].dtype;
    Errors errors;
    for (size_t i = 0; i < narrow.size(); ++i) {
      const double single = static_cast<double>(static_cast<float>(narrow[i]));
      if (single != narrow[i] && !std::isnan(narrow[i])) return std::nullopt;
      if (!std::isfinite(wide[i])) continue;
      const double result = rounded(narrow[i], working(output));
      if (!std::isfinite(result))
        throw refusal(fmt::format("in {} the reference is {}, and {:.4g} in float64",
                                  working(output).name, result, wide[i]),
                      "choose inputs for which it stays in the range");
      const double error = std::abs(result - wide[i]);
      errors.absolute = std::max(errors.absolute, error);
      if (error > 0)
        errors.relative =
            std::max(errors.relative, wide[i] == 0 ? kInfinity : error / std::abs(wide[i]));
    }
    return errors;
  }

  double times() const {
    const auto& text = expected_.tolerance.times;
    if (!text) return kRoundings;
    const ReferenceValue value =
        to_tolerance(evaluate(python_, *text, planned_.positions, scope_), {});
    const double times = numbers_of(value).front();
    if (times < 1)
      throw verdict_error("`from_float64` must be 1 or more: the reference itself is off by that",
                          planned_.positions.find(text->at));
    return times;
  }

  Expectation expectation(ReferenceValue reference, size_t leaf) const {
    const DType& output = leaves_[leaf].dtype;
    if (output.kind != DTypeKind::floating)
      return {std::move(reference), ToleranceKind::exact, expected_.tolerance.nan, {}, {}, {}, ""};
    const double scale = output.bytes == sizeof(double) ? kScaleOfFloat64 : 1,
                 times = this->times();
    const double unit = spacing_at(1, output);
    const OwnErrors& own = errors_[leaf];
    const auto bound = [&](double Errors::*which) {
      return scale *
             std::max(times * own.written.*which, times / kShareInOrder * own.in_order.*which);
    };
    const bool relative =
        dtype_.kind != DTypeKind::complex &&
        std::max(own.written.relative, own.in_order.relative) * scale <= kMostOfElement * unit;
    const double of_element = relative ? std::max(bound(&Errors::relative), unit) : unit;
    const double of_all = relative ? 0 : bound(&Errors::absolute);
    const double greatest = own.greatest * of_element + of_all;
    const auto which = relative ? &Errors::relative : &Errors::absolute;
    std::string reason =
        fmt::format("{} {:.3g} from float64: {} is off by {:.3g}{}", relative ? "rtol" : "atol",
                    relative ? of_element : of_all, working(output).name, own.written.*which,
                    relative ? " of an element" : "");
    if (own.in_order.*which > own.written.*which)
      reason += fmt::format(", with sums in order by {:.3g}", own.in_order.*which);
    if (greatest > 0 && greatest >= own.greatest * std::max(kTooWide, 2 * unit))
      throw refusal(
          fmt::format("{}, and its greatest value is {:.3g}, so that zeros or something near them "
                      "would pass",
                      reason, own.greatest),
          "choose inputs whose results do not cancel, or write the tolerance with its reason");
    const auto value = [](double one) {
      auto held = std::make_shared<double>(one);
      return ReferenceValue{
          dtype_named("float64"), {}, std::as_bytes(std::span(held.get(), 1)), held};
    };
    return {std::move(reference),    ToleranceKind::close,
            expected_.tolerance.nan, {},
            value(of_element),       value(of_all + spacing_at(0, output)),
            std::move(reason)};
  }

  Interpreter& python_;
  const PlannedCase& planned_;
  const PythonScope& scope_;
  const Expected& expected_;
  const DType& dtype_;
  std::vector<Leaf> leaves_;
  std::vector<Shape> shapes_;
  std::vector<OwnErrors> errors_;
};

}  // namespace

std::vector<PartExpectation> from_float64(Interpreter& python, const PlannedCase& planned,
                                          const PythonScope& scope, const Expected& expected,
                                          const DType& dtype, const Shape& shape) {
  return ReferenceErrors(python, planned, scope, expected, dtype, shape).parts();
}

}  // namespace warpmark
