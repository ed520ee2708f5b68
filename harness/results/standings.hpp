// Comparisons of the points of one run: the best of a sweep, and each relative to a base.
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
  const BenchSeries* series = nullptr;  ///< null for a point that was not timed
  std::optional<int64_t> instructions;  ///< set on devices that count, whose times mean nothing
};

struct Standing {
  /// True for the least time among points that differ only in the axes of the sweep.
  bool best = false;
  /// For other points: their time divided by that of the best, with its interval of 95 %.
  std::optional<Ratio> to_best;
  /// True if the interval contains 1: the two cannot be told apart.
  bool as_good = false;
  bool is_base = false;  ///< others are compared with this point
  /// For other points with a base: the ratio of times; on devices that count, of instructions.
  std::optional<Ratio> to_base;
};

/// Adds the figures that rank a case: its instructions if they are counted, else its times in each
/// mode except transfers. `series` must outlive the points.
void add_ranked(std::vector<RankedPoint>& points, const std::string& id, const SweepSettings& sweep,
                const std::vector<BenchSeries>& series, std::optional<int64_t> instructions);

/// One for each point, in their order. Points of different modes are not compared.
std::vector<Standing> standings(const std::vector<RankedPoint>& points);

/// The axes of an id with the labels of their values: {"n", "4"}, {"block", "64"}.
std::vector<std::pair<std::string, std::string>> labels_of(const std::string& id);
/// The part of an id about these axes: "block=64,items=2".
std::string labels_text(const std::string& id, const std::vector<std::string>& axes);

/// "1.12×", "0.2134× ±0.3 %": with half of the interval's width if it has one.
std::string ratio_text(const Ratio& ratio);
/// "kernel=naive" for the base that points are relative to.
std::string base_text(const SweepSettings& sweep);

}  // namespace warpmark
