// Reasons to doubt a comparison: circumstances that differ, and series that are not steady.
#pragma once

#include <string>
#include <vector>

#include "results/bench_comparison.hpp"

namespace warpmark {

/// Program, driver, compiler, host and completeness of both files; `counted` if exact counters are
/// compared, which another compiler changes and another host does not.
std::vector<ComparisonNote> comparison_notes(const BenchResult& baseline,
                                             const BenchResult& contender, bool counted);

/// Doubts about the two series of one case: wide intervals, throttling, other clocks, the host's
/// time in them.
std::vector<std::string> doubts(const BenchCase& before, const BenchSeries& baseline,
                                const BenchCase& after, const BenchSeries& contender,
                                double least_effect);

}  // namespace warpmark
