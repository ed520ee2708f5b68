#include "runtime/output_text.hpp"

#include <fmt/ranges.h>

#include <cstdlib>
#include <optional>

#include "base/dtype.hpp"

namespace warpmark {

std::string element_name(const std::string& name, const Shape& shape, size_t index) {
  if (shape.empty()) return name;
  return fmt::format("{}[{}]", name, fmt::join(subscripts(index, shape), ", "));
}

namespace {

// Four digits of a float are enough for a person; integers stay whole.
std::string short_number(const std::string& text) {
  if (text.find_first_of(".e") == std::string::npos) return text;
  return fmt::format("{:.4g}", std::strtod(text.c_str(), nullptr));
}

// " (off by 0.5, 3 ulp, allowed 0.25)"; "" if there is no distance, as from a NaN.
std::string distance_text(const OutputVerdict& output, const Mismatch& mismatch) {
  if (mismatch.error.empty()) return "";
  std::string error = short_number(mismatch.error);
  const std::string ulps =
      mismatch.ulp.empty()
          ? ""
          : fmt::format(", {:.4g} ulp", std::strtod(mismatch.ulp.c_str(), nullptr));
  if (mismatch.bound.empty() || mismatch.bound == "0") {
    const auto dtype = find_dtype(output.dtype);
    const bool whole = dtype && dtype->kind != DTypeKind::floating && output.has_tolerance;
    return fmt::format(" (off by {}{}, must be equal{})", error, ulps,
                       whole ? fmt::format(": no tolerance holds for {}", output.dtype) : "");
  }
  std::string bound = short_number(mismatch.bound);
  if (error == bound) {  // a value that is barely too great is shown with all digits
    error = mismatch.error;
    bound = mismatch.bound;
  }
  return fmt::format(" (off by {}{}, allowed {})", error, ulps, bound);
}

// ", expected 0.5"; "" if any value is right.
std::string expected_text(const Mismatch& mismatch) {
  return mismatch.expected.empty() ? "" : ", expected " + mismatch.expected;
}

// The actual and the expected value of an element (no expected value if only checks concern it),
// for an element that is not merely unwritten like its neighbours.
std::string contrast_text(const Mismatch& mismatch) {
  // Among values that must match in kind, only a NaN can match and be wrong.
  if (mismatch.kind == MismatchKind::nan && mismatch.actual == mismatch.expected) {
    return mismatch.actual +
           ", which `nan: forbid` does not allow, though it is what the reference has";
  }
  return mismatch.actual + expected_text(mismatch);
}

// "3 were never written", with "1 only in part" if some are.
std::string unwritten_text(const Comparison& result) {
  std::string text =
      fmt::format("{} {} never written", result.unwritten, result.unwritten == 1 ? "was" : "were");
  if (result.in_part == 0) return text;
  return text + (result.in_part == result.unwritten
                     ? " as a whole, only in part"
                     : fmt::format(", {} of them only in part", result.in_part));
}

// "a[3] = 0.5, expected 1 (off by …)"; "never written" for an element that still is the whole
// poison.
std::string element_report(const OutputVerdict& output, const Mismatch& mismatch) {
  const bool whole = mismatch.kind == MismatchKind::unwritten && output.comparison.in_part == 0;
  const std::string name = element_name(output.output, output.shape, mismatch.index);
  if (whole) return name + " = never written" + expected_text(mismatch);
  return name + " = " + contrast_text(mismatch) + distance_text(output, mismatch);
}

// A line for each of the wrong elements after the first, except the worst, which has a separate
// line.
std::string following_text(const OutputVerdict& output) {
  const std::optional<Mismatch>& worst = output.comparison.worst;
  std::string text;
  for (const Mismatch& one : output.comparison.next) {
    if (worst && worst->index == one.index) continue;
    text += "\nalso " + element_report(output, one);
  }
  return text;
}

}  // namespace

std::string describe(const OutputVerdict& output) {
  const Comparison& result = output.comparison;
  const Mismatch& first = *result.first;
  const std::string where = element_name(output.output, output.shape, first.index);
  if (result.unwritten == result.wrong && result.in_part == 0) {
    return fmt::format("{} of {} elements of `{}` were never written; the first is {}{}",
                       result.unwritten, result.elements, output.output, where,
                       expected_text(first)) +
           following_text(output);
  }
  std::string text = fmt::format("{} of {} elements of `{}` {} wrong; the first is {}",
                                 result.wrong, result.elements, output.output,
                                 result.wrong == 1 ? "is" : "are", element_report(output, first));
  if (result.unwritten > 0) text += "\n" + unwritten_text(result);
  if (result.is_narrow()) {
    text += fmt::format("\n{} written in part: the rest is what was there before the launch",
                        result.narrow == 1 ? "it was" : fmt::format("{} were", result.narrow));
  }
  text += following_text(output);
  if (result.worst && result.worst->index != first.index) {
    text += "\nthe worst is " + element_report(output, *result.worst);
  }
  return text;
}

}  // namespace warpmark
