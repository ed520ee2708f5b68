// Times of runs that answer from an earlier run, and do not do their work again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "worker/measurement.hpp"

namespace warpmark {

/// A time, and what the same runs take that can find nothing of an earlier one.
struct ReplayedTime {
  TimingMode mode = TimingMode::cold;
  double seconds = 0, honest_s = 0;
  bool of_batch =
      false;  ///< single runs on a new state are honest; else the first runs in a process
};

/// The first of two signs, over all processes that timed a case, or nothing:
///
/// - Cold runs with inputs that no run had before them in modules that were loaded anew take longer
///   than later ones, those of the series included. The state that is put back before each run hides nothing there; what a
///   kernel can keep elsewhere, as on the heap, does.
/// - The mean of a batch or graph is less than single runs on a new state take, with the same in
///   the last-level cache.
///
/// Both want a margin of about a quarter, and of some microseconds, and so say nothing of less.
std::optional<ReplayedTime> replayed_time(const std::vector<Measurement>& processes);

/// "hot: 2.9 µs, and 97 µs where …"; `restores` tells that arrays which steps change are put back
/// before each run.
std::string replayed_text(const ReplayedTime& time, bool restores);

}  // namespace warpmark
