// Composites: judgements of counters that a kernel cannot win by doing less in parallel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/outcome.hpp"
#include "worker/counters.hpp"

namespace warpmark {

/// The counters that composites compare.
struct CompositeRuns {
  CounterSums own;
  CounterSums baseline;                ///< counters of the baseline kernel, with the same inputs
  bool compared = false;               ///< the baseline is another kernel than the case's own
  std::optional<CounterSums> smaller;  ///< counters of the same kernel with less work, for
                                       ///< work_efficient
  std::optional<Amount> smaller_work;  ///< the work of that run, in the plan's unit
};

/// A part of a composite, and what a kernel reaches.
struct MeasuredComposite {
  std::string composite;  ///< "parallel", "coalesced" …
  std::string measure;    ///< "sectors": tells the parts of one apart
  std::string reached;    ///< "it moves 1.02 × as many sectors as the baseline (1.25 × at most)"
  /// How close it is to holding: the threshold over the measure, or the measure over the threshold
  /// where more is better. From 0, and below 1 where it does not hold; at most kMetByFar.
  double met = 0;
  std::string broken;  ///< the reason, a sentence with both numbers; "" where it holds
};
constexpr double kMetByFar = 1e6;

/// Each composite is a conjunction, and `parallel` is part of all of them:
///   parallel        the span, what a block executes one after the other, is at most 2 times the
///                   baseline's, and on average at least half of a warp's lanes are active, or as
///                   many as in the baseline if those are fewer
///   coalesced       of the sectors that requests touch at least 80 % are needed for the bytes that
///                   each asks for, or 80 % of the share that the baseline needs; and there are at
///                   most 1.25 times as many as the baseline's
///   conflict_free   there are requests to shared memory, of whose wavefronts at most 5 % are for
///                   conflicts within a row of the block's threads, where no more of them count
///                   than 2 times the ideal of the baseline's, if it has any; and at most 1.25
///                   times as many sectors as the baseline's
///   tiled           global loads touch at most so many sectors as the suite's formula says
///   work_efficient  instructions grow at most 1.25 times as much as the suite's formula of the
///                   work from the smaller run to this one, and are at most 2 times the baseline's
/// Each part of those of `asked`. The thresholds leave room for tails of arrays and for what a
/// compiler adds.
std::vector<MeasuredComposite> measure_composites(const PlanComposites& asked,
                                                  const CompositeRuns& runs);

/// Measures the composites of a case whose results are right. Fails it for those that do not hold, with
/// how near it comes to the one that it misses most; else gives it the counters, if they are to be
/// compared.
std::vector<MeasuredComposite> judge_composites(const PlannedCase& planned,
                                                const CompositeRuns& runs, Outcome& outcome);

/// The counters that composites are made of.
std::vector<std::string> composite_counters();

}  // namespace warpmark
