// Refuses buffers that are too short for what the steps access, before a launch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "plan/plan.hpp"

namespace warpmark {
namespace {

// The value of a size, if the scope decides it.
std::optional<int64_t> value_in(const Size& size, const Scope& scope,
                                const PositionMap& positions) {
  if (const auto* value = std::get_if<int64_t>(&size)) return *value;
  const auto& symbolic = std::get<Symbolic>(size);
  const Folded folded = Expression::parse(symbolic.text, positions.find(symbolic.at)).fold(scope);
  const auto* value = folded.value ? std::get_if<int64_t>(&*folded.value) : nullptr;
  if (value == nullptr) return std::nullopt;
  return *value;
}

// The index of the last element; one that leaves int64 is outside of any buffer.
int64_t last_index(int64_t start, int64_t step, int64_t count) {
  int64_t span = 0, last = 0;
  if (__builtin_mul_overflow(step, count - 1, &span) ||
      __builtin_add_overflow(start, span, &last)) {
    return step < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  return last;
}

// A case that must fault may be about just such a buffer, and a rule that is still open may skip
// the points at which one is too short.
bool must_end_well(const Plan& plan) {
  return !plan.fault && !plan.report && !plan.compile_error && !may_be_skipped(plan);
}

}  // namespace

void check_accesses(const Plan& plan, const Scope& scope, const PositionMap& positions) {
  if (!must_end_well(plan)) return;
  for (const Access& access : plan.accesses) {
    const ArithmeticValue* size = scope.find(access.buffer + ".size");
    const std::optional<int64_t> start = value_in(access.start, scope, positions);
    const std::optional<int64_t> step = value_in(access.step, scope, positions);
    const std::optional<int64_t> count = value_in(access.count, scope, positions);
    if (size == nullptr || !start || !step || !count || *count <= 0) continue;
    const auto elements = std::get<int64_t>(*size);
    const int64_t last = last_index(*start, *step, *count);
    const auto [least, most] = std::minmax(*start, last);
    if (least >= 0 && most < elements) continue;
    const std::string accessed = *count == 1
                                     ? fmt::format("element {} is", *start)
                                     : fmt::format("{}, from {} to {}, are", *count, *start, last);
    throw usage_error(fmt::format("`{}` has {} element{}, but {} accessed: {}", access.buffer,
                                  elements, elements == 1 ? "" : "s", accessed, access.reason),
                      positions.find(access.at), "give it as many elements, or access fewer");
  }
}

}  // namespace warpmark
