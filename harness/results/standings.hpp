// How the points of one run stand to each other: which of a sweep is best, and each against a base.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/bench_result.hpp"
#include "results/comparable_times.hpp"

namespace warpmark {

/// A case in one mode.
struct RankedPoint {
  std::string id;  ///< "saxpy.n=4,block=64"
  const SweepSettings* sweep = nullptr;
  const BenchSeries* series = nullptr;  ///< null of what was not timed
  std::optional<int64_t> instructions;  ///< of devices that count, whose times mean nothing
};

struct Standing {
  /// Of points that differ only in the axes of the sweep it has the least time.
  bool best = false;
  /// Of the others: their time over that of the best, with its interval of 95 %.
  std::optional<Ratio> to_best;
  /// The interval holds 1: the two cannot be told apart.
  bool as_good = false;
  bool is_base = false;  ///< what others are compared with
  /// Of others that have a base: their time over its time; of devices that count, instructions.
  std::optional<Ratio> to_base;
};

/// Adds what a case is ranked by: its instructions where they are counted, else its times in each
/// mode but transfers. `series` outlives the points.
void add_ranked(std::vector<RankedPoint>& points, const std::string& id, const SweepSettings& sweep,
                const std::vector<BenchSeries>& series, std::optional<int64_t> instructions);

/// For each point, in their order. Points of several modes stand apart.
std::vector<Standing> standings(const std::vector<RankedPoint>& points);

/// The axes of an id with the labels of their values: {"n", "4"}, {"block", "64"}.
std::vector<std::pair<std::string, std::string>> labels_of(const std::string& id);
/// What the id says of these axes: "block=64,items=2".
std::string labels_text(const std::string& id, const std::vector<std::string>& axes);

/// "1.12×", "0.2134× ±0.3 %": half of the interval's width where it has one.
std::string ratio_text(const Ratio& ratio);
/// "kernel=naive" of what points are relative to.
std::string base_text(const SweepSettings& sweep);

}  // namespace warpmark
