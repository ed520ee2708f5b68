#include "results/count_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/least_effect.hpp"
#include "suite/select_expression.hpp"
#include "suite/suite.hpp"

namespace warpmark {

namespace {

double ratio_of_counts(const CounterChange& change) {
  const auto before = static_cast<double>(*change.baseline);
  const auto after = static_cast<double>(*change.contender);
  if (before == after) return 1;
  return before == 0 ? std::numeric_limits<double>::infinity() : after / before;
}

bool in_both(const CounterChange& change) {
  return change.baseline && change.contender;
}

// A counter that is gone may have grown to any value.
bool is_gone(const CounterChange& change) {
  return change.baseline && !change.contender;
}

bool is_more(const CounterChange& change) {
  return in_both(change) && *change.contender > *change.baseline;
}

bool is_less(const CounterChange& change) {
  return in_both(change) && *change.contender < *change.baseline;
}

// Numbers are exact, so the test is "more than" instead of "at least": an effect of 0 finds any
// increase, and nothing else.
bool counts(const CounterChange& change) {
  return is_gone(change) ||
         (is_more(change) && is_up(ratio_of_counts(change), change.least_effect)) ||
         (is_less(change) && is_down(ratio_of_counts(change), change.least_effect));
}

std::vector<CounterChange> changed_counters(const BenchCase& before, const BenchCase& after,
                                            const ComparisonOptions& options) {
  std::vector<CounterChange> changes;
  for (const auto& [name, value] : before.counters) {
    const std::optional<int64_t> now = after.counter(name);
    if (now != value) changes.push_back({name, value, now});
  }
  for (const auto& [name, value] : after.counters) {
    if (!before.counter(name)) changes.push_back({name, std::nullopt, value});
  }
  for (CounterChange& change : changes) {
    change.least_effect = options.least_effect_of(change.name);
    change.counts = counts(change);
  }
  return changes;
}

// The size of a counter's change, up or down.
double distance(const CounterChange& change) {
  return in_both(change) ? std::abs(std::log(ratio_of_counts(change))) : 0;
}

}  // namespace

void judge_counters(ComparedPoint& point, const BenchCase& before, const BenchCase& after,
                    const ComparisonOptions& options) {
  point.counted = true;
  point.counters = changed_counters(before, after, options);
  const auto first_that = [&](bool (*kind)(const CounterChange&)) {
    return std::ranges::find_if(
        point.counters, [kind](const CounterChange& one) { return one.counts && kind(one); });
  };
  const auto none = point.counters.end();
  const auto gone = first_that(is_gone);
  const bool more = first_that(is_more) != none, less = first_that(is_less) != none;
  // Kinds of changes decide in this order.
  std::vector<bool (*)(const CounterChange&)> order = {is_more, is_less, is_gone};
  point.verdict = ChangeVerdict::same;
  if (more && !less) {
    point.verdict = ChangeVerdict::slower;
  } else if (gone != none) {
    point.verdict = ChangeVerdict::lost;
    point.reason = fmt::format("the counter {} is gone", gone->name);
    order = {is_gone, is_more, is_less};
  } else if (more) {
    point.verdict = ChangeVerdict::mixed;
  } else if (less) {
    point.verdict = ChangeVerdict::faster;
  }
  const auto rank = [&](const CounterChange& one) {
    if (!one.counts) return order.size();
    return static_cast<size_t>(
        std::ranges::find_if(order, [&](const auto& kind) { return kind(one); }) - order.begin());
  };
  std::ranges::stable_sort(point.counters, [&](const CounterChange& a, const CounterChange& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : distance(a) > distance(b);
  });
  if (point.counters.empty()) {
    point.ratio = Ratio{};
  } else if (in_both(point.counters.front())) {
    const double ratio = ratio_of_counts(point.counters.front());
    point.ratio = Ratio{ratio, ratio, ratio};
  }
}

bool concerns(const CounterEffect& effect, const std::string& counter) {
  const std::vector<std::string>& names = counter_names();
  // An exact name means that counter alone: global_load_bytes is a part of async_global_load_bytes.
  if (std::ranges::find(names, effect.counters) != names.end()) return counter == effect.counters;
  return SelectExpression::parse(effect.counters, "a counter").matches(counter);
}

double ComparisonOptions::least_effect_of(const std::string& counter) const {
  const auto last = std::find_if(count_effects.rbegin(), count_effects.rend(),
                                 [&](const CounterEffect& one) { return concerns(one, counter); });
  return last == count_effects.rend() ? least_count_effect : last->least;
}

}  // namespace warpmark
