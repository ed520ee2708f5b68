// Times of two benches: their ratio, how sure it is, and the verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "results/bench_comparison.hpp"

namespace warpmark {

/// The ratio of two times, and how sure it is that they differ. Times of several processes vary as
/// their medians do, those of one process as is known of processes (kSpread…, measured on an H200 in
/// 24 of them). The test is Welch's (Biometrika 34, 1947) on the logarithms, so that exchanging the
/// two inverts the ratio.
struct RatioOfTimes : Ratio {
  double tail = 1;  ///< how likely times that do not differ look so different
};
RatioOfTimes ratio_of_times(const BenchSeries& contender, const BenchSeries& baseline);

/// Two series as if an empty kernel took the same in both runs (BenchSeries): `after` is moved by
/// what it took more in the baseline. Where only one run timed empty kernels, its times have their
/// overhead again, as those of the other have.
std::pair<BenchSeries, BenchSeries> aligned(BenchSeries before,
                                            const std::optional<Ceilings>& ceilings_before,
                                            BenchSeries after,
                                            const std::optional<Ceilings>& ceilings_after,
                                            size_t launches);

/// Puts the ratio of two series that are aligned into the point, with the verdict as far as it needs
/// no other point: whether it is slower or faster is judged when the tails of all are known.
void compare_times(ComparedPoint& point, const BenchSeries& before, const BenchSeries& after,
                   double effect);

/// Judges all points that have a tail, corrected for their number: one test of a hundred finds what
/// is not there.
void judge_times(std::vector<ComparedPoint>& points, const ComparisonOptions& options,
                 std::vector<ComparisonNote>& notes);

}  // namespace warpmark
