#include "worker/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/statistics.hpp"
#include "driver/graph.hpp"

namespace warpmark {

namespace {

// Clocks of an idle GPU rise within some tens of milliseconds of work.
constexpr double kWarmUp = 0.03;
// Samples that are queued before the host looks at the first of them.
constexpr double kGroup = 0.02;
constexpr uint64_t kMostGroup = 32;
constexpr size_t kSingles = 15;          // beside a series of batches or graphs
constexpr double kShareOfSingles = 0.1;  // of the series' budget, at most
constexpr uint64_t kSamplesToEmpty = 4;  // samples for each one of an empty kernel
constexpr double kMostWait = 2e-3;

// To the picosecond: what a float says beyond that is noise, and makes results twice as long.
double seconds_between(const Event& begin, const Event& end) {
  return std::round(1e9 * static_cast<double>(end.milliseconds_since(begin))) / 1e12;
}

}  // namespace

Sampler::Sampler(const std::shared_ptr<Context>& context, TimingKernels& kernels, DeviceRun& run,
                 NewState& state, const std::vector<BufferMemory>& memory, Restore restore,
                 DeviceRun* other)
    : context_(context),
      kernels_(kernels),
      run_(run),
      other_(other),
      state_(state),
      memory_(memory),
      restore_(restore),
      stream_(context) {
  if (restore_ != Restore::never) run_.keep_initial();
}

Sampler::Shot& Sampler::shot(std::vector<Shot>& shots, size_t index) {
  while (shots.size() <= index) shots.push_back({Event(context_), Event(context_)});
  return shots[index];
}

std::optional<double> Sampler::single() {
  const ScopedContext current(*context_);
  const size_t steps = run_.queued_steps();
  wait_s_ = steps > 1 ? kQueueLaunch * static_cast<double>(steps + 2) : 0;
  state_.queue(stream_);
  state_.queue_demote(stream_);
  Shot& one = shot(shots_, 0);
  queue(one, true, [&] { run_.queue(stream_); });
  state_.queue_digest(stream_);
  state_.compare_digests(stream_);
  if (one.late) return std::nullopt;
  return seconds_between(one.begin, one.end);
}

void Sampler::warm_up(const TimingOptions& options, double budget_s) {
  const auto start = Clock::now();
  const double most = std::min({kWarmUp, 0.1 * options.budget_s, budget_s / 4});
  Shot& first = shot(shots_, 0);
  do {
    if (restore_ != Restore::never) run_.queue_restore(stream_);
    first.begin.record(stream_);
    run_.queue(stream_);
    first.end.record(stream_);
    stream_.synchronize();
    run_s_ = seconds_between(first.begin, first.end);
  } while (seconds_since(start) < most);
}

template <typename Steps>
void Sampler::queue(Shot& shot, bool flush, const Steps& steps) {
  if (flush) kernels_.queue_flush(stream_);
  if (wait_s_ > 0) kernels_.queue_wait(wait_s_, stream_);
  shot.begin.record(stream_);
  steps();
  shot.end.record(stream_);
  shot.late = shot.begin.passed().value_or(false);
}

void Sampler::queue_group(TimedWork& work, bool flush, uint64_t count) {
  empties_ = 0;
  const bool is_single = flush && work.batch() == 1;
  for (size_t i = 0; i < count; ++i) {
    work.queue_restore(stream_);
    queue(shot(shots_, i), flush, [&] { work.queue(stream_); });
    if (is_single) state_.queue_digest(stream_);
    if (work.moved_bytes() || i % kSamplesToEmpty != 0) continue;
    queue(shot(empty_shots_, empties_++), flush, [&] { work.queue_empty(stream_); });
  }
  state_.compare_digests(stream_);
}

// The last-level cache is as a batch finds it: flushed for cold ones; else it has what the steps
// read, at least as much of it as the run before leaves there. In a graph the steps of one run follow
// each other faster than they do when each is launched, so that single runs are graphs, too.
void Sampler::take_singles(TimedSeries& series, double budget_s) {
  const bool cold = is_cold(series.mode);
  const auto start = Clock::now();
  std::optional<Graph> run_graph, empty_graph;
  if (is_graph(series.mode)) {
    run_graph.emplace(stream_, [&] { run_.queue(stream_); });
    empty_graph.emplace(stream_, [&] { kernels_.queue_empty(stream_); });
    state_.queue(stream_);
    run_graph->launch(stream_);  // the first launch of a graph also brings it to the device
    empty_graph->launch(stream_);
    stream_.synchronize();
  }
  const auto run_once = [&] {
    if (run_graph) {
      run_graph->launch(stream_);
    } else {
      run_.queue(stream_);
    }
  };
  const auto launch_empty = [&] {
    if (empty_graph) {
      empty_graph->launch(stream_);
    } else {
      kernels_.queue_empty(stream_);
    }
  };
  wait_s_ =
      kQueueLaunch * static_cast<double>(run_.queued_steps() + 2) + (run_graph ? kQueueGraph : 0);
  for (size_t i = 0; i < kSingles && (i < 3 || seconds_since(start) < budget_s); ++i) {
    state_.queue(stream_);
    if (cold) {
      state_.queue_demote(stream_);
    } else {
      state_.queue_touch(stream_);
    }
    const Shot& one = shot(shots_, 0);
    queue(shots_[0], cold, run_once);
    state_.queue_digest(stream_);
    const Shot& empty = shot(empty_shots_, 0);
    queue(empty_shots_[0], cold, launch_empty);
    state_.compare_digests(stream_);
    if (one.late || empty.late) {
      wait_s_ = std::min(kMostWait, 2 * wait_s_);
      continue;
    }
    const double own_s =
        seconds_between(one.begin, one.end) - seconds_between(empty.begin, empty.end);
    series.single_seconds.push_back(std::max(0.0, own_s));
  }
}

TimedSeries Sampler::sample(TimingMode mode, const TimingOptions& options, double budget_s) {
  const ScopedContext current(*context_);
  TimedSeries series;
  series.mode = mode;
  double left_s = budget_s;
  if (run_s_ == 0) {
    const auto start = Clock::now();
    warm_up(options, budget_s);
    left_s -= seconds_since(start);
  }
  // One run took all of it, and another one would as well.
  if (left_s <= 0) {
    if (mode == TimingMode::cold || mode == TimingMode::hot) series.seconds = {run_s_};
    series.stop = StopReason::budget;
    series.latency_hidden = false;
    spent_s_ += budget_s - left_s;
    return series;
  }
  context_->reset_persisting_cache();
  const auto work = make_timed_work(mode, context_, kernels_, run_, other_, state_, restore_,
                                    memory_, run_s_, stream_);
  series.batch = work->batch();
  series.moved_bytes = work->moved_bytes();
  const auto start = Clock::now();
  take_samples(
      *work, options,
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left_s)),
      series);
  // Runs of a batch share what they leave, as do hot ones; a copy leaves nothing.
  if (!series.moved_bytes && (!is_cold(mode) || series.batch > 1))
    take_singles(series, kShareOfSingles * left_s);
  spent_s_ += budget_s - left_s + seconds_since(start);
  return series;
}

void Sampler::take_samples(TimedWork& work, const TimingOptions& options,
                           Clock::time_point deadline, TimedSeries& series) {
  const bool hides = work.queueing_s().has_value();
  wait_s_ = work.queueing_s().value_or(0);
  const std::optional<double> clock_before = kernels_.clock_mhz(stream_);
  StoppingRule rule(options, Clock::now(), deadline);
  std::vector<double> late;  // used only if there are no others
  const auto runs = static_cast<double>(series.batch);
  double cycle_s = runs * run_s_ + wait_s_;
  std::optional<StopReason> stop;
  while (!stop) {
    const auto start = Clock::now();
    const auto wanted = static_cast<uint64_t>(kGroup / std::max(cycle_s, 1e-9)) + 1;
    uint64_t count = std::min({wanted, kMostGroup, rule.most_next(start, cycle_s)});
    if (series.moved_bytes && rule.samples().empty()) count = 1;  // a run says nothing of a copy
    queue_group(work, is_cold(series.mode), count);
    cycle_s = seconds_since(start) / static_cast<double>(count);
    for (size_t i = 0; i < empties_; ++i) {
      const Shot& empty = empty_shots_[i];
      if (!empty.late)
        series.empty_seconds.push_back(seconds_between(empty.begin, empty.end) / runs);
    }
    bool was_late = false;
    for (size_t i = 0; i < count; ++i) {
      const double seconds = seconds_between(shots_[i].begin, shots_[i].end) / runs;
      const bool is_late = hides && shots_[i].late;
      was_late |= is_late;
      if (is_late && series.latency_hidden) {
        late.push_back(seconds);
        ++series.late;
      } else {
        rule.add(seconds);
      }
    }
    if (was_late && series.latency_hidden) {
      // Where no wait helps (a device that runs each launch while the host waits for it), latency
      // is a part of every launch.
      if (wait_s_ >= kMostWait) series.latency_hidden = false;
      wait_s_ = std::min(kMostWait, std::max(2 * wait_s_, 5 * kQueueLaunch));
    }
    stop = rule.stop(Clock::now());
    if (!stop && Clock::now() >= deadline) stop = StopReason::budget;
  }
  series.stop = *stop;
  if (const auto clock_after = kernels_.clock_mhz(stream_); clock_before && clock_after) {
    series.clock_mhz = (*clock_before + *clock_after) / 2;
    series.clock_change = *clock_after / *clock_before;
  }
  series.seconds = rule.samples();
  if (series.seconds.empty()) {
    series.seconds = std::move(late);
    series.latency_hidden = false;
    series.late = 0;
  }
}

namespace {

// An empty kernel takes one of a few times that differ by some percent, as the device pleases (seen:
// 1.38 and 1.54 µs on an H200, whose profiler says 1.38): nearly the least of many batches.
double least_launch(TimingKernels& kernels, const Stream& stream, const std::vector<Event>& marks) {
  constexpr int kBatches = 40, kLaunches = 100;
  std::vector<double> times;
  double wait_s = kQueueLaunch * (kLaunches + 2);
  for (int batch = 0; batch < kBatches; ++batch) {
    kernels.queue_wait(wait_s, stream);
    marks[0].record(stream);
    for (int i = 0; i < kLaunches; ++i) kernels.queue_empty(stream);
    marks[1].record(stream);
    // A host that was late gave the device its own pace, not that of launches.
    const bool late = marks[0].passed().value_or(false);
    stream.synchronize();
    if (!late) times.push_back(seconds_between(marks[0], marks[1]) / kLaunches);
    if (late) wait_s = std::min(kMostWait, 2 * wait_s);
  }
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return quantile(times, 0.1);
}

// By the attributes, in kHz and bits; data comes with both edges of the clock.
double memory_rate(const Device& device) {
  const double clock = 1e3 * device.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const double bytes = device.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
  return std::max(0.0, 2 * clock * bytes);
}

// How many rounds take about a millisecond: on some devices those of float64 are 64 times slower
// than those of float32. Of two runs, the first of which may load code.
unsigned int rounds_for(TimingKernels& kernels, const DType& dtype, const Stream& stream,
                        const std::vector<Event>& marks) {
  constexpr unsigned int kFirst = 4, kMost = 1 << 16;
  for (int run = 0; run < 2; ++run) {
    marks[0].record(stream);
    kernels.queue_fma(dtype, kFirst, stream);
    marks[1].record(stream);
    stream.synchronize();
  }
  const double seconds = std::max(1e-9, seconds_between(marks[0], marks[1]));
  return static_cast<unsigned int>(std::clamp(kFirst * 1e-3 / seconds, 1.0 * kFirst, 1.0 * kMost));
}

}  // namespace

Ceilings measure_ceilings(const std::shared_ptr<Context>& context, TimingKernels& kernels) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  constexpr size_t kSamples = 15;
  const ScopedContext current(*context);
  Ceilings ceilings;
  // A multiple of 256 bytes, so that vectors fit; of what is free both arrays take a half.
  ceilings.array_bytes = std::min(kMostBytes, context->memory_info().free / 4) & ~uint64_t{255};
  DeviceMemory from(context, ceilings.array_bytes, "copied from");
  DeviceMemory to(context, ceilings.array_bytes, "copied to");
  from.fill(0);
  to.fill(0);
  const Stream stream(context);
  std::vector<Event> marks;
  for (size_t i = 0; i <= kSamples; ++i) marks.emplace_back(context);
  // One after another without a wait, and no flush between: each copy writes back what the one
  // before left in the cache, as it leaves its own. A single copy after a flush of clean lines
  // would seem to write that much less than it does (1.5 % on an H200).
  const auto rate = [&](double amount, double warm_up_s, const auto& queue) {
    const auto start = Sampler::Clock::now();
    do {
      queue();
      stream.synchronize();
    } while (seconds_since(start) < warm_up_s);
    std::vector<double> times;
    marks[0].record(stream);
    for (size_t i = 0; i < kSamples; ++i) {
      queue();
      marks[i + 1].record(stream);
    }
    stream.synchronize();
    for (size_t i = 0; i < kSamples; ++i) times.push_back(seconds_between(marks[i], marks[i + 1]));
    const double seconds = summarize(std::move(times)).median;
    return seconds > 0 ? amount / seconds : 0;
  };
  ceilings.launch_s = least_launch(kernels, stream, marks);
  const auto bytes = static_cast<double>(ceilings.array_bytes);
  ceilings.copy_bytes_per_s = rate(2 * bytes, kWarmUp, [&] { to.copy_from(from, stream); });
  ceilings.read_bytes_per_s = rate(bytes, kWarmUp, [&] { kernels.queue_read(from, stream); });
  ceilings.memory_bytes_per_s = memory_rate(context->device());
  // Warm by now.
  const auto flops_per_s = [&](std::string_view name) {
    const DType dtype = find_dtype(name).value();
    const double flops = kernels.queue_fma(dtype, 1, stream);
    if (flops == 0) return 0.0;
    const unsigned int rounds = rounds_for(kernels, dtype, stream, marks);
    return rate(flops * rounds, 0, [&] { kernels.queue_fma(dtype, rounds, stream); });
  };
  ceilings.float64_flops_per_s = flops_per_s("float64");
  ceilings.float16_flops_per_s = flops_per_s("float16");
  ceilings.float32_flops_per_s = flops_per_s("float32");
  const double most_mhz = context->device().attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;
  const std::optional<double> clock = kernels.clock_mhz(stream);
  if (clock && most_mhz > 0) ceilings.clock_headroom = std::max(1.0, most_mhz / *clock);
  return ceilings;
}

}  // namespace warpmark
