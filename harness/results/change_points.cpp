#include "results/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpmark {

namespace {

// Levels of the preliminary tests, which choose variances and reject nothing.
constexpr double kNoisierRun = 0.01;
constexpr double kVariesBetweenRuns = 0.05;
constexpr double kKnown = 1e5;  // degrees of freedom from which on a variance is not an estimate
constexpr size_t kLeastToPool = 3;  // values
constexpr size_t kLeastOfDrift = 5;
constexpr size_t kLeastOfDifferences = 5;  // for a median that a step does not decide
constexpr double kLeastOfExcess = 3;       // degrees of freedom; with less a test shows nothing
constexpr size_t kLeastSeries = 8;         // for a median over them
constexpr double kMedianOfChi2 = 0.4549;   // with one degree of freedom

double squared(double x) {
  return x * x;
}

// How much more than their variances the values deviate, and the degrees of freedom of that.
struct Excess {
  double factor = 1;
  double freedom = 0;    // of `factor` alone, or to be added to that of the variances
  bool between = false;  // there is variation between runs: `factor` alone says how much
};

// A difference of two means, or of two ends of a line.
struct Difference {
  double value = 0;
  std::vector<double> weights;  // with which each value enters it
};

class Series {
 public:
  Series(const std::vector<LogTime>& values, double least_effect)
      : values_(values), least_effect_(least_effect) {
    share_variances();
  }

  /// The differences of neighbours, squared, over their variances.
  std::vector<double> differences() const {
    std::vector<double> all;
    for (size_t i = 1; i < values_.size(); ++i) {
      all.push_back(squared(values_[i].value - values_[i - 1].value) /
                    (variances_[i] + variances_[i - 1]));
    }
    return all;
  }

  /// With variances that are `factor` times as large.
  void find(double factor) {
    for (double& variance : variances_) variance *= factor;
    sum_up();
    if (values_.size() > 1) segment();
    test();
    choose_drift();
  }

  /// How many hypotheses the series has, whether they are tested or not.
  size_t tests() const {
    return (values_.empty() ? 0 : values_.size() - 1) + (may_drift() ? 1 : 0);
  }
  const SeriesChanges& changes() const { return changes_; }

  /// The tails of what is claimed, in the order of claims().
  std::vector<double> tails() const {
    std::vector<double> tails;
    for (const ChangePoint& step : changes_.steps) tails.push_back(step.ratio.tail);
    if (changes_.drift) tails.push_back(changes_.drift->tail);
    return tails;
  }

  /// Takes out the least sure claim that does not hold with these tails; false if all do.
  bool remove_one(const std::vector<double>& adjusted, double false_alarms) {
    const std::vector<ChangePoint>& steps = changes_.steps;
    if (changes_.drift) {
      if (adjusted[0] <= false_alarms) return false;
      changes_.drift.reset();
      drift_refused_ = true;
      test();
      return true;
    }
    size_t worst = steps.size();
    for (size_t i = 0; i < steps.size(); ++i) {
      if (adjusted[i] <= false_alarms && is_enough(steps[i].ratio.value)) continue;
      if (worst == steps.size() || less_sure(steps[i], steps[worst])) worst = i;
    }
    if (worst == steps.size()) return false;
    starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(worst) + 1);
    if (worst > 0) place(worst);
    if (worst + 1 < starts_.size()) place(worst + 1);
    test();
    choose_drift();
    return true;
  }

  void adjust(const std::vector<double>& adjusted) {
    for (size_t i = 0; i < changes_.steps.size(); ++i) changes_.steps[i].ratio.tail = adjusted[i];
    if (changes_.drift) changes_.drift->tail = adjusted[0];
  }

 private:
  static bool less_sure(const ChangePoint& one, const ChangePoint& other) {
    if (one.ratio.tail != other.ratio.tail) return one.ratio.tail > other.ratio.tail;
    return std::abs(std::log(one.ratio.value)) < std::abs(std::log(other.ratio.value));
  }
  bool is_enough(double ratio) const {
    return is_up(ratio, least_effect_) || is_down(ratio, least_effect_);
  }
  bool may_drift() const { return values_.size() >= kLeastOfDrift && !drift_refused_; }
  size_t end_of(size_t segment) const {
    return segment + 1 < starts_.size() ? starts_[segment + 1] : values_.size();
  }

  // The variances of all runs but those that are known or noisier are one.
  void share_variances() {
    double squares = 0, freedom = 0;
    for (const LogTime& value : values_) {
      variances_.push_back(value.variance);
      own_.push_back(value.freedom >= kKnown || values_.size() < kLeastToPool);
      if (own_.back()) continue;
      squares += value.freedom * value.variance;
      freedom += value.freedom;
    }
    double shared = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      const LogTime& value = values_[i];
      if (own_[i]) continue;
      const double others = freedom - value.freedom;
      own_[i] = others <= 0;
      if (own_[i]) continue;
      const double of_others = (squares - value.freedom * value.variance) / others;
      own_[i] = f_tail(value.variance / of_others, value.freedom, others) <= kNoisierRun;
      if (own_[i]) continue;
      shared += value.freedom * value.variance;
      freedom_ += value.freedom;
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!own_[i]) variances_[i] = shared / freedom_;
    }
  }

  // Prefix sums, so that the cost of any segment is known at once.
  void sum_up() {
    weight_ = sum_ = squares_ = {0};
    for (size_t i = 0; i < values_.size(); ++i) {
      const double weight = 1 / variances_[i];
      const double y = values_[i].value - values_[0].value;
      weight_.push_back(weight_.back() + weight);
      sum_.push_back(sum_.back() + weight * y);
      squares_.push_back(squares_.back() + weight * y * y);
    }
  }
  double weight(size_t begin, size_t end) const { return weight_[end] - weight_[begin]; }
  double mean(size_t begin, size_t end) const {
    return (sum_[end] - sum_[begin]) / weight(begin, end);
  }
  double cost(size_t begin, size_t end) const {
    const double sum = sum_[end] - sum_[begin];
    return std::max(0.0, squares_[end] - squares_[begin] - sum * sum / weight(begin, end));
  }

  // From the differences of neighbours, of which steps spoil only a few.
  double early_excess() const {
    std::vector<double> all = differences();
    if (all.size() < kLeastOfDifferences) return 1;
    std::ranges::sort(all);
    return std::max(1.0, quantile(all, 0.5) / kMedianOfChi2);
  }

  void segment() {
    const size_t n = values_.size();
    penalty_ = 3 * std::log(static_cast<double>(n)) * early_excess();
    std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
    std::vector<size_t> start(n + 1, 0);
    best[0] = -penalty_;
    for (size_t end = 1; end <= n; ++end) {
      for (size_t begin = 0; begin < end; ++begin) {
        const double total = best[begin] + penalty_ + cost(begin, end);
        if (total >= best[end]) continue;
        best[end] = total;
        start[end] = begin;
      }
    }
    for (size_t end = n; end > 0; end = start[end]) starts_.insert(starts_.begin(), start[end]);
  }

  // Where the segment begins best, between its neighbours' ends.
  void place(size_t segment) {
    const size_t begin = starts_[segment - 1], end = end_of(segment);
    double least = std::numeric_limits<double>::infinity();
    for (size_t at = begin + 1; at < end; ++at) {
      const double total = cost(begin, at) + cost(at, end);
      if (total >= least) continue;
      least = total;
      starts_[segment] = at;
    }
  }

  double cost_of_steps() const {
    double total = 0;
    for (size_t i = 0; i < starts_.size(); ++i) total += cost(starts_[i], end_of(i));
    return total;
  }

  Excess excess_of(double cost, size_t parameters) const {
    if (values_.size() <= parameters) return {};
    const auto left = static_cast<double>(values_.size() - parameters);
    const double known = freedom_ > 0 ? freedom_ : kKnown;
    if (left >= kLeastOfExcess && f_tail(cost / left, left, known) <= kVariesBetweenRuns) {
      return {cost / left, left, true};
    }
    return {(known + cost) / (known + left), left, false};
  }

  // Its variance is that of all values that enter; degrees of freedom after Satterthwaite.
  RatioOfTimes ratio_of(const Difference& difference, const Excess& excess) const {
    double shared = 0, of_own = 0, variance = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      const double part = squared(difference.weights[i]) * variances_[i];
      variance += part;
      if (!own_[i]) shared += part;
      if (own_[i]) of_own += squared(part) / values_[i].freedom;
    }
    double freedom = excess.freedom;
    if (!excess.between) {
      const double pooled = shared > 0 ? squared(shared) / (freedom_ + excess.freedom) : 0;
      freedom = squared(variance) / (pooled + of_own);
    }
    return warpmark::ratio_of({difference.value, variance * excess.factor, freedom}, {0, 0, 1});
  }

  void test() {
    changes_.steps.clear();
    if (starts_.empty()) return;
    const Excess excess = excess_of(cost_of_steps(), starts_.size());
    for (size_t i = 1; i < starts_.size(); ++i) {
      Difference difference;
      difference.weights.resize(values_.size());
      const size_t begin = starts_[i - 1], at = starts_[i], end = end_of(i);
      difference.value = mean(at, end) - mean(begin, at);
      for (size_t j = begin; j < end; ++j) {
        difference.weights[j] =
            (j < at ? -1 / weight(begin, at) : 1 / weight(at, end)) / variances_[j];
      }
      changes_.steps.push_back({at, ratio_of(difference, excess)});
    }
  }

  // A line in place of the steps, if it goes far enough and is the better of the two.
  void choose_drift() {
    if (!may_drift()) return;
    const size_t n = values_.size();
    double sum = 0, middle = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += 1 / variances_[i];
      middle += static_cast<double>(i) / variances_[i];
    }
    middle /= sum;
    double spread = 0, slope = 0;
    for (size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i) - middle;
      spread += x * x / variances_[i];
      slope += x * (values_[i].value - values_[0].value) / variances_[i];
    }
    slope /= spread;
    const auto length = static_cast<double>(n - 1);
    if (!is_enough(std::exp(slope * length))) return;
    const double of_line = std::max(0.0, cost(0, n) - slope * slope * spread);
    const auto steps = static_cast<double>(changes_.steps.size());
    if (of_line + penalty_ >= cost_of_steps() + steps * penalty_) return;
    Difference difference{slope * length, std::vector<double>(n)};
    for (size_t i = 0; i < n; ++i) {
      difference.weights[i] = length * (static_cast<double>(i) - middle) / variances_[i] / spread;
    }
    changes_.drift = ratio_of(difference, excess_of(of_line, 2));
    changes_.steps.clear();
  }

  const std::vector<LogTime>& values_;
  double least_effect_;
  std::vector<double> variances_;
  std::vector<bool> own_;  // the variance of the run alone
  double freedom_ = 0;     // of the variance that the others share
  std::vector<double> weight_, sum_, squares_;
  double penalty_ = 0;
  std::vector<size_t> starts_;  // of the segments
  bool drift_refused_ = false;
  SeriesChanges changes_;
};

// How much more than their variances neighbours differ in most series, at most places: variation
// between runs, which few runs of one series cannot show. Of two places the lesser counts, so that a
// step of all series at once is not taken for it.
double common_excess(const std::vector<Series>& all) {
  std::vector<std::vector<double>> places;
  for (const Series& one : all) {
    const std::vector<double> differences = one.differences();
    if (places.size() < differences.size()) places.resize(differences.size());
    for (size_t i = 0; i < differences.size(); ++i) places[i].push_back(differences[i]);
  }
  std::vector<double> factors;
  for (std::vector<double>& place : places) {
    if (place.size() < kLeastSeries) continue;
    std::ranges::sort(place);
    factors.push_back(quantile(place, 0.5) / kMedianOfChi2);
  }
  if (factors.size() < 2) return 1;
  std::ranges::sort(factors);
  return std::max(1.0, factors[(factors.size() - 1) / 2]);
}

// Holm's for all hypotheses of all series; those without a claim have a tail of 1.
std::vector<std::vector<double>> adjusted_tails(const std::vector<Series>& all, size_t tests) {
  std::vector<double> tails;
  for (const Series& one : all) {
    for (const double tail : one.tails()) tails.push_back(tail);
  }
  tails.resize(std::max(tests, tails.size()), 1);
  const std::vector<double> adjusted = holm(tails);
  std::vector<std::vector<double>> by_series;
  auto next = adjusted.begin();
  for (const Series& one : all) {
    const auto count = static_cast<std::ptrdiff_t>(one.tails().size());
    by_series.emplace_back(next, next + count);
    next += count;
  }
  return by_series;
}

}  // namespace

std::vector<SeriesChanges> find_changes(const std::vector<std::vector<LogTime>>& series,
                                        const ChangeOptions& options) {
  std::vector<Series> all;
  all.reserve(series.size());
  size_t tests = 0;
  for (const std::vector<LogTime>& values : series) {
    all.emplace_back(values, options.least_effect);
    tests += all.back().tests();
  }
  const double excess = common_excess(all);
  for (Series& one : all) one.find(excess);
  std::vector<std::vector<double>> adjusted;
  for (bool again = true; again;) {
    again = false;
    adjusted = adjusted_tails(all, tests);
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].remove_one(adjusted[i], options.false_alarms)) again = true;
    }
  }
  std::vector<SeriesChanges> found;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].adjust(adjusted[i]);
    found.push_back(all[i].changes());
  }
  return found;
}

}  // namespace warpmark
