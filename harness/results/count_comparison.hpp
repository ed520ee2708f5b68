// Exact counters of two benches, and the verdict.
#pragma once

#include "results/bench_comparison.hpp"

namespace warpmark {

/// Puts the counters that changed into the point, and judges them (compare_benches).
void judge_counters(ComparedPoint& point, const BenchCase& before, const BenchCase& after,
                    const ComparisonOptions& options);

}  // namespace warpmark
