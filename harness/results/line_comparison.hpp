// Lines of the source that count more than before.
#pragma once

#include <cstdint>
#include <vector>

#include "results/bench_comparison.hpp"

namespace warpmark {

/// Which line of `before` each line of `after` was, by their texts and order; -1 for a new one.
/// Both are of one file. Numbers say nothing: a line that is put in above moves all others. A line
/// whose text changed is found by the words that stayed.
std::vector<int64_t> matched_lines(const std::vector<CountedLine>& before,
                                   const std::vector<CountedLine>& after);

/// The lines of a point that has counters that grew and decided; none where the contender's lines
/// are not known.
std::vector<GrownLine> grown_lines(const ComparedPoint& point, const BenchCase& before,
                                   const BenchCase& after);

}  // namespace warpmark
