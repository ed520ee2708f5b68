// The two sides of a run whose cases took turns, as a comparison of two benches.
#pragma once

#include "results/bench_comparison.hpp"

namespace warpmark {

/// The other sides of a run's cases (`bench --against`) as a bench of their own, whose file is what
/// the cases were held against. Throws a usage error for a run that was held against nothing.
BenchResult other_sides(const BenchResult& run);

/// Compares each case with what it took turns with: as compare_benches, but by the ratios of the
/// rounds. A case without a ratio is `lost`, and `added` if there was nothing to hold it against.
BenchComparison compare_turns(const BenchResult& run, const ComparisonOptions& options);

}  // namespace warpmark
