// Changes of speed from one bench to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "results/comparable_times.hpp"

namespace warpmark {

/// The verdict on one case under one state of the cache, the gravest first.
enum class ChangeVerdict : uint8_t {
  slower,
  /// The baseline has figures; here the case failed, was skipped or was not reached, or a counter
  /// is gone.
  lost,
  missing,       ///< in the baseline only: this run knows no such case
  mixed,         ///< some counters grew and others shrank
  inconclusive,  ///< neither a change nor sameness is shown
  faster,
  same,       ///< shown to be within the least effect
  added,      ///< without figures in the baseline
  deselected  ///< in the baseline only: -k or --case left it out of this run
};
constexpr auto words(ChangeVerdict) {
  return words_are("slower", "lost", "missing", "mixed", "inconclusive", "faster", "same", "added",
                   "deselected");
}
constexpr auto kChangeVerdicts = each_value<ChangeVerdict>();

/// The least change of some counters that counts as a change.
struct CounterEffect {
  std::string counters;  ///< a name, or a pattern of SelectExpression, such as "atomic" or
                         ///< "*_bytes"
  double least = 0;      ///< 0.02 for 2 %
};
/// True if `counter` is one of the effect's counters.
bool concerns(const CounterEffect& effect, const std::string& counter);

struct ComparisonOptions {
  /// The least change of a time that is reported: 0.02 is a ratio of 1.02 or more, or of 1/1.02 or
  /// less, so that exchanging the files exchanges slower and faster.
  double least_effect = 0.02;
  /// The least change of a counter that is reported. Counts are exact, so that by default any
  /// change counts.
  double least_count_effect = 0;
  /// Other least changes for some counters; the last one that concerns a counter holds.
  std::vector<CounterEffect> count_effects;
  /// The highest probability that any unchanged time is called slower or faster.
  double false_alarms = 0.05;
  bool across_devices = false;
  /// Allows a baseline that is pinned to another version, to write a new one.
  bool across_versions = false;

  double least_effect_of(const std::string& counter) const;
};

/// A counter that is not the same, or that only one of them has.
struct CounterChange {
  std::string name;
  std::optional<int64_t> baseline, contender;
  double least_effect = 0;  ///< of this counter
  bool counts = false;      ///< it changed by the least effect or more, or is gone
};

/// A line of the source that counts more than before.
struct GrownLine {
  std::string file;    ///< path in the suite's folder if that is known
  int64_t number = 0;  ///< line in the contender
  std::string text;    ///< text of the line; "" if unknown
  /// Counters that grew in this line, among those that decided the point and in their order.
  /// Without lines in the baseline, the counters that the line counts most of, without a baseline.
  std::vector<CounterChange> counters;
};

struct ComparedPoint {
  std::string suite, id;
  std::optional<TimingMode> mode;  ///< nothing if exact counters are compared, or all figures are
                                   ///< lost
  ChangeVerdict verdict = ChangeVerdict::same;
  std::string reason;                          ///< reason in words; "" if the figures say it
  std::optional<Summary> baseline, contender;  ///< seconds; both or none, none if counters decide
  /// Ratio of the times, or of the counter that decided.
  std::optional<Ratio> ratio;
  /// RatioOfTimes::tail of compared times, adjusted by Holm's method for all compared points.
  std::optional<double> tail;
  std::vector<CounterChange> counters;  ///< the counter that decided first
  /// Lines that grew most first, if the contender's lines are known.
  std::vector<GrownLine> lines;
  bool counted = false;            ///< compared by exact counters
  bool sources_known = true;       ///< false if a baseline does not say what it measured
  bool sources_differ = false;     ///< kernel, plan or input differ, as after a change
  std::vector<std::string> notes;  ///< reasons to doubt the figures
};

/// A circumstance that differs, or a file that is not whole.
struct ComparisonNote {
  bool grave = false;  ///< this difference alone may explain different figures
  std::string text;
};

struct BenchComparison {
  std::vector<ComparedPoint> points;  ///< in the baseline's order, added cases at the end
  std::vector<ComparisonNote> notes;
  bool counted = false;  ///< figures are exact counters

  size_t count(ChangeVerdict verdict) const;
};

/// Compares case by case:
///
/// Times. `slower` needs both: that they differ with a tail of at most `false_alarms`, adjusted for
/// the number of points, and that the ratio is 1 + least_effect or more; `faster` likewise. `same`
/// needs the ratio's whole interval between 1 / (1 + least_effect) and 1 + least_effect. All else is
/// `inconclusive`, and so are a change that the SM clock explains, and series of one process with
/// too few samples. What an empty kernel takes in each run is allowed for (BenchSeries).
///
/// Counters, where both have them; times do not count then. Only those decide that changed by their
/// least effect or more. `slower` if some grew and none shrank; else `lost` if one is gone; `mixed`
/// if some grew and others shrank: what a kernel saves in loads it must not pay for in instructions
/// unseen; `faster` if some shrank, else `same`. The ratio is that of the counter that decided: of
/// those that grew, or else shrank, the one that changed most. A counter that only the contender
/// knows is reported, not judged.
///
/// Throws an environment error if the baseline is pinned to another version, unless across_versions;
/// a usage error if the devices differ or only one of them counts, unless across_devices;
/// and if no case of the baseline with figures is in the contender: that gate would hold nothing.
BenchComparison compare_benches(const BenchResult& baseline, const BenchResult& contender,
                                const ComparisonOptions& options = {});

}  // namespace warpmark
