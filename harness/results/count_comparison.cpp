#include "results/count_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "results/least_effect.hpp"

namespace warpmark {

namespace {

double ratio_of_counts(const CounterChange& change) {
  const auto before = static_cast<double>(*change.baseline);
  const auto after = static_cast<double>(*change.contender);
  if (before == after) return 1;
  return before == 0 ? std::numeric_limits<double>::infinity() : after / before;
}

std::vector<CounterChange> changed_counters(const BenchCase& before, const BenchCase& after) {
  std::vector<CounterChange> changes;
  for (const auto& [name, value] : before.counters) {
    const std::optional<int64_t> now = after.counter(name);
    if (now != value) changes.push_back({name, value, now});
  }
  for (const auto& [name, value] : after.counters) {
    if (!before.counter(name)) changes.push_back({name, std::nullopt, value});
  }
  return changes;
}

bool in_both(const CounterChange& change) {
  return change.baseline && change.contender;
}

// Exact numbers: above and not "at least", so that an effect of 0 finds what is more, and only that.
bool grew(const CounterChange& change, double effect) {
  return in_both(change) && *change.contender > *change.baseline &&
         is_up(ratio_of_counts(change), effect);
}

bool shrank(const CounterChange& change, double effect) {
  return in_both(change) && *change.contender < *change.baseline &&
         is_down(ratio_of_counts(change), effect);
}

// What it counted may have grown to anything.
bool is_gone(const CounterChange& change) {
  return change.baseline && !change.contender;
}

// How far a counter went, either way.
double distance(const CounterChange& change) {
  return in_both(change) ? std::abs(std::log(ratio_of_counts(change))) : 0;
}

}  // namespace

void judge_counters(ComparedPoint& point, const BenchCase& before, const BenchCase& after,
                    double effect) {
  point.counted = true;
  point.counters = changed_counters(before, after);
  const auto any = [&](const auto& moved) {
    return std::any_of(point.counters.begin(), point.counters.end(),
                       [&](const CounterChange& c) { return moved(c, effect); });
  };
  const auto gone = std::find_if(point.counters.begin(), point.counters.end(), is_gone);
  std::function<bool(const CounterChange&)> decides = [](const CounterChange&) { return false; };
  point.verdict = ChangeVerdict::same;
  if (any(grew)) {
    point.verdict = ChangeVerdict::slower;
    decides = [&](const CounterChange& c) { return grew(c, effect); };
  } else if (gone != point.counters.end()) {
    point.verdict = ChangeVerdict::lost;
    point.reason = fmt::format("the counter {} is gone", gone->name);
    decides = is_gone;
  } else if (any(shrank)) {
    point.verdict = ChangeVerdict::faster;
    decides = [&](const CounterChange& c) { return shrank(c, effect); };
  }
  std::stable_sort(point.counters.begin(), point.counters.end(),
                   [&](const CounterChange& a, const CounterChange& b) {
                     const bool first = decides(a);
                     return first != decides(b) ? first : distance(a) > distance(b);
                   });
  if (point.counters.empty()) {
    point.ratio = Ratio{};
  } else if (in_both(point.counters.front())) {
    const double ratio = ratio_of_counts(point.counters.front());
    point.ratio = Ratio{ratio, ratio, ratio};
  }
}

}  // namespace warpmark
