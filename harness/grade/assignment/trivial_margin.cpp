#include "grade/assignment/trivial_margin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "runtime/comparison.hpp"
#include "runtime/trivial_element.hpp"

namespace warpmark {
namespace {

std::vector<std::byte> filled(const std::vector<std::byte>& element, size_t count) {
  std::vector<std::byte> all(element.size() * count);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(all.data() + i * element.size(), element.data(), element.size());
  }
  return all;
}

// Returns error / bound of the mismatch where it is greatest. A mismatch of another kind, such as
// NaN in place of a number, has neither: no bound lets it pass.
double times_of(const Comparison& comparison) {
  if (comparison.passed()) return 1;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!comparison.worst) return kInfinite;
  const double error = std::strtod(comparison.worst->error.c_str(), nullptr);
  const double bound = std::strtod(comparison.worst->bound.c_str(), nullptr);
  return bound > 0 ? error / bound : kInfinite;
}

}  // namespace

void TrivialMargin::judge(const AnswerMargin& answer, size_t which, const TypedBytes& actual,
                          const Expectation& expectation) {
  const TypedBytes expected{expectation.reference.dtype, expectation.reference.bytes};
  const ComparisonRule rule = expectation.rule();
  const ComparisonRule exact{ToleranceKind::exact, rule.nan};
  auto seen = std::ranges::find_if(seen_, [&](const Seen& one) {
    return one.which == which && one.margin.output == answer.output &&
           one.margin.answer == answer.answer;
  });
  if (seen == seen_.end()) seen = seen_.insert(seen, {answer, which, false});
  if (compare(actual, expected, exact, std::nullopt).passed()) return;
  seen->wrong = true;
  const Comparison comparison = compare(actual, expected, rule, std::nullopt);
  seen->margin.times = std::max(seen->margin.times, times_of(comparison));
  const auto elements = static_cast<double>(std::max<size_t>(1, comparison.elements));
  seen->share =
      std::min(seen->share, static_cast<double>(comparison.elements - comparison.wrong) / elements);
}

void TrivialMargin::look(const ReadyCase& ready, const Expected& expected,
                         const Expectation& expectation) {
  const std::string& output = expected.output;
  const DType& dtype = ready.inputs.dtypes.at(output);
  const TypedBytes reference{expectation.reference.dtype, expectation.reference.bytes};
  const size_t count = reference.count();
  const auto constant = [&](const std::string& name, size_t which,
                            const std::vector<std::byte>& element) {
    const std::vector<std::byte> all = filled(element, count);
    judge({output, name}, which, {dtype, all}, expectation);
  };
  constant("zeros", 0, element_bytes(dtype, 0));
  constant("ones", 0, element_bytes(dtype, 1));
  const auto [constants, is_first] = constants_.try_emplace(output);
  if (is_first) constants->second = likely_constants(reference, dtype);
  for (size_t i = 0; i < constants->second.size(); ++i) {
    constant("one value everywhere", i, constants->second[i]);
  }
  for (const auto& [name, array] : ready.inputs.arrays) {
    if (static_cast<size_t>(array.size()) < count || !is_single_number(array.dtype())) continue;
    const size_t bytes = count * array.dtype().bytes;
    std::vector<std::byte> copied(count * dtype.bytes);
    cast_elements({array.dtype(), array.bytes().first(bytes)}, dtype, copied.data());
    const std::string answer =
        name == output ? "its own values" : fmt::format("a copy of `{}`", name);
    judge({output, answer}, 0, {dtype, copied}, expectation);
  }
}

void TrivialMargin::look(const ReadyCase& ready) {
  const Plan& plan = ready.planned.plan;
  const PythonScope scope = reference_scope(plan, ready.inputs);
  for (const Expected& expected : plan.expected) {
    const Shape shape = buffer_shape(*plan.find_buffer(expected.output), ready.inputs);
    const DType& dtype = ready.inputs.dtypes.at(expected.output);
    if (element_count(shape) == 0 || !is_single_number(dtype)) continue;
    look(ready, expected,
         evaluate_expectation(python_, ready.planned, scope, expected, dtype, shape)
             .front()
             .expectation);
  }
}

std::vector<AnswerShare> TrivialMargin::shares() const {
  std::vector<AnswerShare> most;
  for (const Seen& seen : seen_) {
    auto found = std::ranges::find(most, seen.margin.output, &AnswerShare::output);
    if (found == most.end()) found = most.insert(found, {seen.margin.output, "", 0});
    if (found->answer.empty() || seen.share > found->share) {
      found->answer = seen.margin.answer;
      found->share = seen.share;
    }
  }
  return most;
}

std::optional<AnswerMargin> TrivialMargin::weakest() const {
  std::optional<AnswerMargin> least;
  for (const Seen& seen : seen_) {
    if (!seen.wrong || (least && least->times <= seen.margin.times)) continue;
    least = seen.margin;
  }
  return least;
}

}  // namespace warpmark
