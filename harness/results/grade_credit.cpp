#include "results/grade_credit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpmark {

double degree_share(double share) {
  if (!(share > 0)) return 0;
  // 0.29 * 100 is a little less than 29.
  return std::floor(std::min(share, 1.0) * 100 + 1e-9) / 100;
}

double PerformanceRule::points(double ratio, double most) const {
  if (!(ratio >= 0)) return 0;
  if (!steps.empty()) {
    for (const PerformanceStep& step : steps) {
      if (ratio <= step.ratio) return std::clamp(step.points, 0.0, most);
    }
    return 0;
  }
  if (ratio <= full) return most;
  if (ratio >= zero) return 0;
  return most * std::clamp((zero - ratio) / (zero - full), 0.0, 1.0);
}

std::optional<PerformanceStep> PerformanceRule::next(double ratio, double most) const {
  const double now = points(ratio, most);
  if (now >= most) return std::nullopt;
  if (steps.empty()) return PerformanceStep{full, most};
  std::optional<PerformanceStep> found;
  for (const PerformanceStep& step : steps) {
    if (std::min(step.points, most) > now) found = {step.ratio, std::min(step.points, most)};
  }
  return found;
}

double count_ratio(double value, double baseline) {
  if (baseline > 0) return value / baseline;
  return value > 0 ? std::numeric_limits<double>::infinity() : 1;
}

}  // namespace warpmark
