// How well an item performs against the baseline: by counters, or by times that are taken by turns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/grade_credit.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Puts what one trial counted into `worst`, if its ratio is greater than what is there: inputs
/// differ from trial to trial, and a kernel that is quick with some of them alone is no quick one.
void note_counts(const PerformanceRule& rule, const CountedRuns& counted,
                 std::optional<Performance>& worst);

/// One kernel, verified, timed and verified once more.
struct TimedRun {
  Outcome outcome;
  double seconds = 0;      ///< of a pass
  std::string impossible;  ///< why no device can be that fast; "" for a time that can be
};

/// What times the two kernels of an item: sessions on a GPU, or a test's stand-in.
class RoundTimer {
 public:
  virtual ~RoundTimer() = default;
  virtual TimedRun submission() = 0;
  virtual TimedRun baseline() = 0;
};

/// What came of timing an item: one of the first three.
struct TimedItem {
  std::optional<Performance> performance;
  std::optional<Outcome> failed;  ///< of the submission, which was right before
  std::string open;               ///< why there is no ratio, for the student
  std::string staff;              ///< beside `open`, for staff
};

constexpr uint64_t kRounds = 11;

/// Times both by turns (runtime/turns.hpp). A time that the device cannot reach is no score,
/// whichever of the two has it.
TimedItem time_by_turns(RoundTimer& timer, uint64_t rounds = kRounds);

}  // namespace warpmark
