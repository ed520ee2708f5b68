#include "results/relative_time.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/statistics.hpp"

namespace warpmark {

namespace {

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void set_interval(const std::vector<double>& ratios, RelativeTime& into) {
  constexpr size_t kSamples = 4000;
  constexpr double kTail = 0.025;
  std::mt19937_64 draw(0x7761'7270);  // fixed: the same times have the same interval
  std::vector<double> medians, sample(ratios.size());
  for (size_t i = 0; i < kSamples; ++i) {
    // A distribution of the standard library may draw otherwise in another one.
    for (double& one : sample) one = ratios[draw() % ratios.size()];
    medians.push_back(median_of(sample));
  }
  std::ranges::sort(medians);
  const auto at = [&](double share) {
    return medians[static_cast<size_t>(share * static_cast<double>(kSamples - 1))];
  };
  into.low = at(kTail);
  into.high = at(1 - kTail);
}

}  // namespace

RelativeTime relative_time(std::span<const double> own_s, std::span<const double> baseline_s) {
  std::vector<double> ratios;
  for (size_t i = 0; i < own_s.size(); ++i) ratios.push_back(own_s[i] / baseline_s[i]);
  RelativeTime relative;
  relative.own_s = median_of({own_s.begin(), own_s.end()});
  relative.baseline_s = median_of({baseline_s.begin(), baseline_s.end()});
  relative.ratio = median_of(ratios);
  relative.rounds = static_cast<int64_t>(ratios.size());
  set_interval(ratios, relative);
  return relative;
}

RelativeTime mean_relative_time(std::span<const double> own_s, std::span<const double> baseline_s) {
  std::vector<double> own, baseline, ratios;
  for (size_t i = 0; i < own_s.size(); ++i) {
    own.push_back(std::log(own_s[i]));
    baseline.push_back(std::log(baseline_s[i]));
    ratios.push_back(own.back() - baseline.back());
  }
  const Mean mean = mean_of(ratios);
  const Interval interval = mean.interval();
  RelativeTime relative;
  relative.own_s = std::exp(mean_of(own).value);
  relative.baseline_s = std::exp(mean_of(baseline).value);
  relative.ratio = std::exp(mean.value);
  relative.low = std::exp(interval.low);
  relative.high = std::exp(interval.high);
  relative.rounds = static_cast<int64_t>(ratios.size());
  relative.tail = mean.error > 0    ? student_tail(mean.value / mean.error, mean.freedom)
                  : mean.value == 0 ? 1
                                    : 0;
  return relative;
}

}  // namespace warpmark
