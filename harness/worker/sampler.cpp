#include "worker/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/statistics.hpp"
#include "base/turns.hpp"
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
constexpr uint64_t kRoundsToEmpty = 4;   // one of an empty kernel for so many rounds
constexpr double kMostWait = 2e-3;

// To the picosecond: what a float says beyond that is noise, and makes results twice as long.
double seconds_between(const Event& begin, const Event& end) {
  return std::round(1e9 * static_cast<double>(end.milliseconds_since(begin))) / 1e12;
}

}  // namespace

Sampler::Sampler(const std::shared_ptr<Context>& context, TimingKernels& kernels,
                 std::vector<TimedParty> parties)
    : context_(context),
      kernels_(kernels),
      parties_(std::move(parties)),
      stream_(context),
      order_(static_cast<uint64_t>(Clock::now().time_since_epoch().count())) {
  for (const TimedParty& party : parties_) {
    if (party.restore != Restore::never) party.run.keep_initial();
  }
}

Sampler::Shot& Sampler::shot(std::vector<Shot>& shots, size_t index) {
  while (shots.size() <= index) shots.push_back({Event(context_), Event(context_)});
  return shots[index];
}

std::optional<double> Sampler::single(size_t index) {
  const ScopedContext current(*context_);
  const TimedParty& party = parties_.at(index);
  const size_t steps = party.run.queued_steps();
  wait_s_ = steps > 1 ? kQueueLaunch * static_cast<double>(steps + 2) : 0;
  party.state.queue(stream_);
  party.state.queue_demote(stream_);
  Shot& one = shot(shots_, 0);
  queue(one, true, [&] { party.run.queue(stream_); });
  party.state.queue_digest(stream_);
  party.state.compare_digests(stream_);
  if (one.late) return std::nullopt;
  return seconds_between(one.begin, one.end);
}

void Sampler::warm_up(const TimingOptions& options, double budget_s) {
  const auto start = Clock::now();
  const double most = std::min({kWarmUp, 0.1 * options.budget_s, budget_s / 4});
  Shot& first = shot(shots_, 0);
  run_s_.resize(parties_.size());
  do {
    for (size_t i = 0; i < parties_.size(); ++i) {
      const TimedParty& party = parties_[i];
      if (party.restore != Restore::never) party.run.queue_restore(stream_);
      first.begin.record(stream_);
      party.run.queue(stream_);
      first.end.record(stream_);
      stream_.synchronize();
      run_s_[i] = seconds_between(first.begin, first.end);
    }
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

void Sampler::queue_group(Works& works, TimingMode mode, uint64_t rounds) {
  const bool flush = is_cold(mode);
  const auto shuffle = [this](auto& order) { std::shuffle(order.begin(), order.end(), order_); };
  take_turns(rounds, works.size(), shuffle, [&](uint64_t round, size_t index) {
    TimedWork& work = *works[index];
    const TimedParty& party = parties_[index];
    if (works.size() > 1 && !flush && !is_transfer(mode)) {
      party.run.queue(stream_);
      // Each batch begins with the same arrays, even where nothing is put back.
      if (party.restore == Restore::never) party.run.queue_restore(stream_);
    }
    work.queue_restore(stream_);
    queue(shot(shots_, round * works.size() + index), flush, [&] { work.queue(stream_); });
    if (flush && work.batch() == 1) party.state.queue_digest(stream_);
    if (work.moved_bytes() || round % kRoundsToEmpty != 0) return true;
    queue(shot(empty_shots_, round / kRoundsToEmpty * works.size() + index), flush,
          [&] { work.queue_empty(stream_); });
    return true;
  });
  for (const TimedParty& party : parties_) party.state.compare_digests(stream_);
}

// The last-level cache is as a batch finds it: flushed for cold ones; else it has what the steps
// read, at least as much of it as the run before leaves there. In a graph the steps of one run follow
// each other faster than they do when each is launched, so that single runs are graphs, too.
void Sampler::take_singles(const TimedParty& party, TimedSeries& series, double budget_s) {
  const bool cold = is_cold(series.mode);
  const auto start = Clock::now();
  std::optional<Graph> run_graph, empty_graph;
  if (is_graph(series.mode)) {
    run_graph.emplace(stream_, [&] { party.run.queue(stream_); });
    empty_graph.emplace(stream_, [&] { kernels_.queue_empty(stream_); });
    party.state.queue(stream_);
    run_graph->launch(stream_);  // the first launch of a graph also brings it to the device
    empty_graph->launch(stream_);
    stream_.synchronize();
  }
  const auto run_once = [&] {
    if (run_graph) {
      run_graph->launch(stream_);
    } else {
      party.run.queue(stream_);
    }
  };
  const auto launch_empty = [&] {
    if (empty_graph) {
      empty_graph->launch(stream_);
    } else {
      kernels_.queue_empty(stream_);
    }
  };
  wait_s_ = kQueueLaunch * static_cast<double>(party.run.queued_steps() + 2) +
            (run_graph ? kQueueGraph : 0);
  for (size_t i = 0; i < kSingles && (i < 3 || seconds_since(start) < budget_s); ++i) {
    party.state.queue(stream_);
    if (cold) {
      party.state.queue_demote(stream_);
    } else {
      party.state.queue_touch(stream_);
    }
    const Shot& one = shot(shots_, 0);
    queue(shots_[0], cold, run_once);
    party.state.queue_digest(stream_);
    const Shot& empty = shot(empty_shots_, 0);
    queue(empty_shots_[0], cold, launch_empty);
    party.state.compare_digests(stream_);
    if (one.late || empty.late) {
      wait_s_ = std::min(kMostWait, 2 * wait_s_);
      continue;
    }
    const double own_s =
        seconds_between(one.begin, one.end) - seconds_between(empty.begin, empty.end);
    series.single_seconds.push_back(std::max(0.0, own_s));
  }
}

std::vector<TimedSeries> Sampler::sample(TimingMode mode, const TimingOptions& options,
                                         double budget_s) {
  const ScopedContext current(*context_);
  std::vector<TimedSeries> all(parties_.size());
  for (TimedSeries& series : all) series.mode = mode;
  double left_s = budget_s;
  if (run_s_.empty()) {
    const auto start = Clock::now();
    warm_up(options, budget_s);
    left_s -= seconds_since(start);
  }
  // One run took all of it, and another one would as well.
  if (left_s <= 0) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (mode == TimingMode::cold || mode == TimingMode::hot) all[i].seconds = {run_s_[i]};
      all[i].stop = StopReason::budget;
      all[i].latency_hidden = false;
    }
    spent_s_ += budget_s - left_s;
    return all;
  }
  context_->reset_persisting_cache();
  const double least_s = *std::ranges::min_element(run_s_);  // so that all have the same batch
  Works works;
  for (size_t i = 0; i < all.size(); ++i) {
    const TimedParty& party = parties_[i];
    works.push_back(make_timed_work(mode, context_, kernels_, party.run, party.other, party.state,
                                    party.restore, party.memory, least_s, stream_));
    all[i].batch = works[i]->batch();
    all[i].moved_bytes = works[i]->moved_bytes();
  }
  const auto start = Clock::now();
  take_samples(
      works, options,
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left_s)),
      all);
  // Runs of a batch share what they leave, as do hot ones; a copy leaves nothing.
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].moved_bytes && (!is_cold(mode) || all[i].batch > 1))
      take_singles(parties_[i], all[i], kShareOfSingles * left_s);
  }
  spent_s_ += budget_s - left_s + seconds_since(start);
  return all;
}

// Adds the samples of a group to the rules, or those of late rounds to `late`; returns whether any
// was late.
bool Sampler::add_group(const Works& works, uint64_t rounds, std::vector<StoppingRule>& rules,
                        std::vector<TimedSeries>& all, std::vector<std::vector<double>>& late) {
  const size_t parties = works.size();
  const bool hides =
      std::ranges::all_of(works, [](const auto& work) { return work->queueing_s().has_value(); });
  const auto runs = [&](size_t party) { return static_cast<double>(works[party]->batch()); };
  bool was_late = false;
  for (uint64_t round = 0; round < rounds; ++round) {
    const auto first = shots_.begin() + static_cast<std::ptrdiff_t>(round * parties);
    const bool is_late = hides && std::any_of(first, first + static_cast<std::ptrdiff_t>(parties),
                                              [](const Shot& one) { return one.late; });
    was_late |= is_late;
    for (size_t party = 0; party < parties; ++party) {
      const Shot& one = shots_[round * parties + party];
      const double seconds = seconds_between(one.begin, one.end) / runs(party);
      if (is_late && all[party].latency_hidden) {
        late[party].push_back(seconds);
        ++all[party].late;
      } else {
        rules[party].add(seconds);
      }
      if (all[party].moved_bytes || round % kRoundsToEmpty != 0) continue;
      const Shot& empty = empty_shots_[round / kRoundsToEmpty * parties + party];
      if (!empty.late)
        all[party].empty_seconds.push_back(seconds_between(empty.begin, empty.end) / runs(party));
    }
  }
  return was_late;
}

void Sampler::take_samples(Works& works, const TimingOptions& options, Clock::time_point deadline,
                           std::vector<TimedSeries>& all) {
  TimedSeries& series = all.front();
  wait_s_ = 0;
  double cycle_s = 0;
  for (size_t i = 0; i < works.size(); ++i) {
    wait_s_ = std::max(wait_s_, works[i]->queueing_s().value_or(0));
    cycle_s += static_cast<double>(works[i]->batch()) * run_s_[i];
  }
  cycle_s += static_cast<double>(works.size()) * wait_s_;
  const std::optional<double> clock_before = kernels_.clock_mhz(stream_);
  std::vector<StoppingRule> rules(works.size(), StoppingRule(options, Clock::now(), deadline));
  std::vector<std::vector<double>> late(works.size());  // used only if there are no others
  std::optional<StopReason> stop;
  while (!stop) {
    const auto start = Clock::now();
    const auto wanted = static_cast<uint64_t>(kGroup / std::max(cycle_s, 1e-9)) + 1;
    uint64_t count = std::min({wanted, kMostGroup, rules.front().most_next(start, cycle_s)});
    // A run says nothing of a copy.
    if (series.moved_bytes && rules.front().samples().empty()) count = 1;
    queue_group(works, series.mode, count);
    cycle_s = seconds_since(start) / static_cast<double>(count);
    if (add_group(works, count, rules, all, late) && series.latency_hidden) {
      // Where no wait helps (a device that runs each launch while the host waits for it), latency
      // is a part of every launch.
      if (wait_s_ >= kMostWait)
        for (TimedSeries& one : all) one.latency_hidden = false;
      wait_s_ = std::min(kMostWait, std::max(2 * wait_s_, 5 * kQueueLaunch));
    }
    const auto now = Clock::now();
    stop = works.size() == 1 ? rules.front().stop(now)
                             : stop_of_turns(rules[0], rules[1], series.empty_seconds, now);
    if (!stop && now >= deadline) stop = StopReason::budget;
  }
  const auto clock_after = kernels_.clock_mhz(stream_);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].stop = *stop;
    if (clock_before && clock_after) {
      all[i].clock_mhz = (*clock_before + *clock_after) / 2;
      all[i].clock_change = *clock_after / *clock_before;
    }
    all[i].seconds = rules[i].samples();
    if (!all[i].seconds.empty()) continue;
    all[i].seconds = std::move(late[i]);
    all[i].latency_hidden = false;
    all[i].late = 0;
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
  std::ranges::sort(times);
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
