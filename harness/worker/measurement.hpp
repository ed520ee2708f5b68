// The speed of a case on its device: the options of a measurement, and its results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "driver/nvml.hpp"

namespace warpmark {

/// The work that is timed, and its conditions.
enum class TimingMode : uint8_t {
  // One run of the steps:
  cold,        ///< with nothing of the case in the last-level cache, which was flushed
  hot,         ///< with the contents that the previous run left there
  cold_graph,  ///< in a CUDA graph of several, each with its own buffers, after a flush
  hot_graph,   ///< in a CUDA graph of several
  // One copy of all its inputs to the device, or of all its outputs from there, with the host's
  // pages locked (as from cuMemHostAlloc and cudaMallocHost) or not (as from malloc):
  upload,
  pageable_upload,
  download,
  pageable_download
};
constexpr auto words(TimingMode) {
  return words_are("cold", "hot", "cold graph", "hot graph", "upload", "pageable upload",
                   "download", "pageable download");
}
bool is_cold(TimingMode mode);
bool is_graph(TimingMode mode);
bool is_transfer(TimingMode mode);

struct TimingOptions {
  /// Fresh processes that share budget and samples: times differ more from one process to another
  /// than within one. 1 on devices that count.
  uint64_t processes = 5;
  std::vector<TimingMode> modes = {TimingMode::cold};  ///< a series each, in this order
  double budget_s = 5;  ///< wall clock of one point's samples, all series together
  double precision =
      0.005;  ///< precision of the median: half of its 95 % interval divided by it; reaching it
              ///< ends a series
  uint64_t min_samples = 20;
  double min_seconds = 0.1;  ///< wall clock of a series, if the budget allows it
  uint64_t max_samples = 10000;
  /// For a profiler: each case runs once between cuProfilerStart and cuProfilerStop, and is not
  /// timed.
  bool profile = false;
};

/// The options for each of several processes, so that together they fulfil `options`.
TimingOptions share_of(const TimingOptions& options, uint64_t processes);

/// The reason why a series has no more samples.
enum class StopReason : uint8_t {
  precise,  ///< the median has the requested precision
  budget,   ///< the time is used up
  samples   ///< the greatest number of samples is reached
};
constexpr auto words(StopReason) {
  return words_are("precise", "budget", "samples");
}

/// Times in one mode, in one process.
struct TimedSeries {
  TimingMode mode = TimingMode::cold;
  uint64_t batch = 1;                   ///< number of runs whose mean is one sample
  std::vector<double> seconds;          ///< seconds of one run, by sample in the order of time
  std::optional<uint64_t> moved_bytes;  ///< bytes that one run of a transfer moves
  /// Times of an empty kernel, timed between the samples in the same way: the device's own time for
  /// a launch, which differs from process to process and from one moment to the next.
  std::vector<double> empty_seconds;
  /// Times of single runs on a new state (worker/new_state.hpp) with the same contents in the
  /// last-level cache, each less the time of an empty kernel there. The mean of a batch or graph,
  /// whose runs may find data of the previous run, is compared with them. Empty for cold runs,
  /// which are such runs.
  std::vector<double> single_seconds;
  std::optional<double> clock_mhz;     ///< clock of a multiprocessor: the mean of before and after
  std::optional<double> clock_change;  ///< the clock after divided by that before
  StopReason stop = StopReason::precise;
  /// The host had queued each sample's launches before the device came to them, so that none of the
  /// host's time is in it. Samples for which the host was late were thrown away, `late` of them.
  bool latency_hidden = true;
  uint64_t late = 0;
};

/// The resources that a launch of a case's steps takes of the device.
struct KernelFacts {
  std::string entry;
  std::array<int64_t, 3> grid{}, block{};
  int64_t registers = 0;      ///< registers of a thread
  int64_t shared_bytes = 0;   ///< bytes of a block, static and dynamic
  int64_t local_bytes = 0;    ///< bytes of a thread, including spills
  int64_t active_blocks = 0;  ///< blocks that one multiprocessor holds at a time; 0 if unknown
  double occupancy = 0;       ///< resident warps divided by the most that a multiprocessor can hold
};

/// Cold runs on a new state, beside the series, which show whether runs reuse results of earlier
/// ones.
struct HonestRuns {
  /// Time of the first run in modules that were loaded anew: no run with these inputs came before.
  std::optional<double> first_s;
  bool is_warm = false;        ///< a run with other inputs came before it, which loads the code
  std::vector<double> last_s;  ///< times of some runs at the end, after all series
  /// The arrays that were not restored, or not compared, with the reason; empty if all were.
  std::vector<std::string> untested;
};

/// The measurement of a case but for its times.
struct MeasuredFacts {
  std::vector<KernelFacts> kernels;  ///< facts of each launch step
  /// Counters of one run of the steps, summed over its launches by name (warpmark/device.h); only
  /// on devices that count.
  std::vector<std::pair<std::string, int64_t>> counters;
  DeviceState before, after;  ///< states before and after the sampling
  double seconds = 0;         ///< wall clock of the sampling
  /// Amounts of one run of the steps, as given by the suite or the plugin; absent if neither gives
  /// them.
  std::optional<double> bytes, flops;
};

/// All measurements of one case.
struct Measurement : MeasuredFacts {
  std::vector<TimedSeries> series;
  HonestRuns honest;
  bool outputs_differ = false;          ///< outputs of cold runs differ, although each run began
                                        ///< alike
  std::optional<uint64_t> digest = {};  ///< digest of these outputs, the same in every process
  bool inputs_differ = false;           ///< an input is not what it was before; looked at where the
                                        ///< results are not fetched
  // The peak that the flops are compared with: that of the suite, or else the measured rate of
  // fused multiply-adds of this type ("float32"; "" if they say nothing about the kernel).
  std::optional<double> given_peak;
  std::string peak_dtype;
};

/// The best rates of the device, measured in this session: medians over arrays that no cache holds.
/// All are unknown on devices that count instead.
struct Ceilings {
  double copy_bytes_per_s = 0;  ///< bytes read and written by a device-to-device copy
  double read_bytes_per_s = 0;  ///< bytes read by a kernel that only reads
  uint64_t array_bytes = 0;
  double launch_s = 0;  ///< seconds of an empty kernel when one follows another; 0: unknown
  /// The greatest number of bytes a second that the memory moves, by its clock and its bus; 0:
  /// unknown.
  double memory_bytes_per_s = 0;
  // Rates of fused multiply-adds of the plain cores, which are two operations each; 0: unknown.
  double float64_flops_per_s = 0, float32_flops_per_s = 0, float16_flops_per_s = 0;
  /// The greatest clock of a multiprocessor divided by its clock during these measurements; 0:
  /// unknown.
  double clock_headroom = 0;

  /// The rate of the type of that name; nothing if it is unknown.
  std::optional<double> flops_per_s(std::string_view dtype) const;
};

}  // namespace warpmark
