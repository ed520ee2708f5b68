// How fast a case runs on its device: what is asked for, and what was seen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/nvml.hpp"

namespace warpmark {

/// What is timed, and how.
enum class TimingMode : uint8_t {
  // One run of the steps:
  cold,        ///< with nothing of the case in the last-level cache: it was flushed
  hot,         ///< with what the run before left there
  cold_graph,  ///< in a CUDA graph of several, each with buffers of its own, after a flush
  hot_graph,   ///< in a CUDA graph of several
  // One copy of all its inputs to the device, or of all its outputs from there, where the host's
  // pages are locked (as cuMemHostAlloc and cudaMallocHost give them) or not (as malloc does):
  upload,
  pageable_upload,
  download,
  pageable_download
};
std::string_view to_text(TimingMode mode);
const std::vector<TimingMode>& all_timing_modes();
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
      0.005;  ///< of the median: half of its 95 % interval over it; then it is enough
  uint64_t min_samples = 20;
  double min_seconds = 0.1;  ///< wall clock of a series, if the budget has it
  uint64_t max_samples = 10000;
  /// For a profiler: each case runs once between cuProfilerStart and cuProfilerStop, and no time is
  /// taken.
  bool profile = false;
};

/// What each of several processes is asked for, so that together they do what `options` say.
TimingOptions share_of(const TimingOptions& options, uint64_t processes);

/// Why a series has no more samples.
enum class StopReason : uint8_t {
  precise,  ///< the median is known as well as was asked for
  budget,   ///< the time is spent
  samples   ///< there are as many as may be
};
std::string_view to_text(StopReason reason);

/// Times in one mode, in one process.
struct TimedSeries {
  TimingMode mode = TimingMode::cold;
  uint64_t batch = 1;                   ///< runs that one sample is the mean of
  std::vector<double> seconds;          ///< of one run, by sample in the order of time
  std::optional<uint64_t> moved_bytes;  ///< by one run of a transfer
  /// Of an empty kernel, timed between them in the same way: the device's own time for a launch,
  /// which differs from process to process and from one moment to the next.
  std::vector<double> empty_seconds;
  /// Of single runs on a new state (worker/new_state.hpp) with the same in the last-level cache, each
  /// less what an empty kernel takes there: what the mean of a batch or graph, whose runs may find
  /// something of the run before, is held against. None of cold runs, which are such ones.
  std::vector<double> single_seconds;
  std::optional<double> clock_mhz;     ///< of a multiprocessor, before and after: the mean
  std::optional<double> clock_change;  ///< that after over that before
  StopReason stop = StopReason::precise;
  /// The host had queued each sample's launches before the device came to them, so that none of
  /// the host's time is in it. Samples where it had not were thrown away, `late` of them.
  bool latency_hidden = true;
  uint64_t late = 0;
};

/// What a launch of a case's steps takes of the device.
struct KernelFacts {
  std::string entry;
  std::array<int64_t, 3> grid{}, block{};
  int64_t registers = 0;      ///< a thread
  int64_t shared_bytes = 0;   ///< a block, static and dynamic
  int64_t local_bytes = 0;    ///< a thread, spills included
  int64_t active_blocks = 0;  ///< that one multiprocessor holds at a time; 0 if it is not known
  double occupancy = 0;       ///< resident warps over those that a multiprocessor can hold
};

/// Cold runs on a new state, beside the series, which show whether runs answer from earlier ones.
struct HonestRuns {
  /// Of the first run in modules that were loaded anew: none with these inputs came before.
  std::optional<double> first_s;
  bool is_warm = false;        ///< a run with other inputs came before it, which brings the code
  std::vector<double> last_s;  ///< of some at the end, after all series
  /// What was not put back, or not compared, and why; nothing if all was.
  std::vector<std::string> untested;
};

/// All that was measured of one case.
struct Measurement {
  std::vector<TimedSeries> series;
  std::vector<KernelFacts> kernels;  ///< of each launch step
  /// Of one run of the steps, a sum over its launches by name (warpmark/device.h); only on devices
  /// that count.
  std::vector<std::pair<std::string, int64_t>> counters;
  DeviceState before, after;  ///< the sampling
  double seconds = 0;         ///< wall clock of the sampling
  HonestRuns honest;
  bool outputs_differ = false;          ///< of cold runs, although each began alike
  std::optional<uint64_t> digest = {};  ///< of those outputs, the same in every process
  /// By one run of the steps, as the suite or the plugin says; what neither says is absent.
  std::optional<double> bytes, flops;
  // What the flops are held against: what the suite gives, or else what fused multiply-adds of this
  // type were measured to do ("float32"; "" where they say nothing of the kernel).
  std::optional<double> given_peak;
  std::string peak_dtype;
};

/// What the device can do at best, measured in this session: medians over arrays that no cache
/// holds. Nothing is known of devices that count instead.
struct Ceilings {
  double copy_bytes_per_s = 0;  ///< read and written, of a device-to-device copy
  double read_bytes_per_s = 0;  ///< of a kernel that only reads
  uint64_t array_bytes = 0;
  double launch_s = 0;  ///< seconds of an empty kernel, where one follows another; 0: not known
  /// Bytes a second that the memory moves at most, by its clock and its bus; 0: not known.
  double memory_bytes_per_s = 0;
  // Of fused multiply-adds of the plain cores, which are two operations each; 0: not known.
  double float64_flops_per_s = 0, float32_flops_per_s = 0, float16_flops_per_s = 0;
  /// The greatest clock of a multiprocessor over the one that it had at these; 0: not known.
  double clock_headroom = 0;

  /// Of the type of that name; nothing if it is not known.
  std::optional<double> flops_per_s(std::string_view dtype) const;
};

}  // namespace warpmark
