// Times a case on its device: warm-up, samples by events, until the median is known.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "driver/stream.hpp"
#include "worker/device_run.hpp"
#include "worker/measurement.hpp"
#include "worker/new_state.hpp"
#include "worker/stopping_rule.hpp"
#include "worker/timed_work.hpp"
#include "worker/timing_kernels.hpp"

namespace warpmark {

/// A case that is timed, with what belongs to it; all of it outlives the sampler.
struct TimedParty {
  DeviceRun& run;                           ///< it was restored
  NewState& state;                          ///< belongs to `run`
  const std::vector<BufferMemory>& memory;  ///< the host's memory of its buffers
  Restore restore = Restore::never;         ///< how `inout` buffers are put back
  DeviceRun* other = nullptr;               ///< with other inputs, or null
};

/// One sample is, in one stream and without a wait of the host between them:
///
///     [restore] → [flush] → [wait] → event → work of the mode (TimedWork) → event → [digest]
///
/// Every fourth is followed by one of an empty kernel in the place of the steps. A cold sample begins
/// with a new state (NewState), and what it leaves is compared with what others left. Runs of a
/// batch or graph find what the run before left: single runs on a new state are timed beside them.
///
/// The flush, and the wait where there is none or it is too short, keep the device busy while the
/// host queues what is timed, so that no launch latency is between the events. Whether that was so
/// is asked of each sample: if the first event has passed when the last is queued, the host was
/// late; the sample is thrown away and the wait gets longer. Several samples are queued at a time.
///
/// Several parties take turns (base/turns.hpp), a sample each in a round, so that what slows the
/// device for a while slows them all. A round with a late sample is thrown away as a whole. Before
/// a sample that begins with a warm cache the party runs once, so that it finds what it left itself.
class Sampler {
 public:
  using Clock = StoppingRule::Clock;

  Sampler(const std::shared_ptr<Context>& context, TimingKernels& kernels,
          std::vector<TimedParty> parties);

  /// Seconds of one cold run of a party on a new state; nothing if the host was late.
  std::optional<double> single(size_t index = 0);

  /// Takes samples until the rule of `options` ends them, or `budget_s` seconds have passed since
  /// the preparation was complete. There is no sample if the first run of the case has used all of
  /// this time, unless that run is a sample itself. A fault appears as a DriverError. A series for
  /// each party, whose samples of one index are those of a round.
  std::vector<TimedSeries> sample(TimingMode mode, const TimingOptions& options, double budget_s);
  /// Used seconds of the budgets.
  double spent_s() const { return spent_s_; }

 private:
  struct Shot {
    Event begin, end;
    bool late = false;
  };

  using Works = std::vector<std::unique_ptr<TimedWork>>;

  void warm_up(const TimingOptions& options, double budget_s);
  void take_singles(const TimedParty& party, TimedSeries& series, double budget_s);
  void take_samples(Works& works, const TimingOptions& options, Clock::time_point deadline,
                    std::vector<TimedSeries>& all);
  template <typename Steps>
  void queue(Shot& shot, bool flush, const Steps& steps);
  void queue_group(Works& works, TimingMode mode, uint64_t rounds);
  bool add_group(const Works& works, uint64_t rounds, std::vector<StoppingRule>& rules,
                 std::vector<TimedSeries>& all, std::vector<std::vector<double>>& late);
  Shot& shot(std::vector<Shot>& shots, size_t index);

  std::shared_ptr<Context> context_;
  TimingKernels& kernels_;
  std::vector<TimedParty> parties_;
  Stream stream_;
  std::mt19937_64 order_;          ///< in which parties take their turns
  std::vector<Shot> shots_;        ///< of the steps: round by round, a shot for each party
  std::vector<Shot> empty_shots_;  ///< likewise of empty kernels, in every fourth round
  double spent_s_ = 0;
  std::vector<double> run_s_;  ///< approximate times of one run of each on the device; empty before
                               ///< the warm-up
  double wait_s_ = 0;          ///< wait before each sample
};

/// The best rates of the device: a copy and a read of arrays that no cache holds, and fused
/// multiply-adds. Throws DriverError.
Ceilings measure_ceilings(const std::shared_ptr<Context>& context, TimingKernels& kernels);

}  // namespace warpmark
