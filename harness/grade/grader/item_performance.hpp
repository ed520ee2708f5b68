// Performance of an item relative to the baseline: by counters, or by times taken in turns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/grade_credit.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Puts the counts of one trial into `worst`, if its ratio is greater: inputs differ from trial to
/// trial, and a kernel that is fast with some of them only is not a fast one.
void note_counts(const PerformanceRule& rule, const CountedRuns& counted,
                 std::optional<Performance>& worst);

/// One kernel, verified, timed and verified once more.
struct TimedRun {
  Outcome outcome;
  double seconds = 0;      ///< time of a pass
  std::string impossible;  ///< why no device can be that fast; "" for a possible time
};

/// Times the two kernels of an item: by sessions on a GPU, or by a stub in tests.
class RoundTimer {
 public:
  virtual ~RoundTimer() = default;
  virtual TimedRun submission() = 0;
  virtual TimedRun baseline() = 0;
};

/// The result of timing an item: one of the first three.
struct TimedItem {
  std::optional<Performance> performance;
  std::optional<Outcome> failed;  ///< failure of the submission, which was right before
  std::string open;               ///< why there is no ratio, for the student
  std::string staff;              ///< explanation of `open` for staff
};

constexpr uint64_t kRounds = 11;

/// Times both by turns (base/turns.hpp). An impossibly short time of either gives no score.
TimedItem time_by_turns(RoundTimer& timer, uint64_t rounds = kRounds);

}  // namespace warpmark
