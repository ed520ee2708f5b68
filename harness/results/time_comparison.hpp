// Times of two benches: their ratio, how sure it is, and the verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "results/bench_comparison.hpp"

namespace warpmark {

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

/// Puts a ratio into the point, likewise.
void judge_ratio(ComparedPoint& point, const RatioOfTimes& ratio, double effect);

/// Judges all points that have a tail, corrected for their number: one test of a hundred finds what
/// is not there.
void judge_times(std::vector<ComparedPoint>& points, const ComparisonOptions& options,
                 std::vector<ComparisonNote>& notes);

}  // namespace warpmark
