#include "results/measurement_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "compiler/includes.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// The least time that a run is given after the overhead is subtracted: a rate needs a time.
constexpr double kLeastTime = 1e-9;

std::optional<double> over(const std::optional<double>& amount, double divisor) {
  if (!amount || !(divisor > 0)) return std::nullopt;
  const double rate = *amount / divisor;
  return std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

void require_times(const std::vector<double>& seconds) {
  for (const double sample : seconds) {
    if (!std::isfinite(sample) || sample < 0) {
      throw internal_error(fmt::format("a measured time of {} s", sample));
    }
  }
}

// See BenchSeries.
std::optional<double> overhead_of(const TimedSeries& timed, size_t launches,
                                  const std::optional<Ceilings>& ceilings) {
  if (timed.empty_seconds.empty() || !ceilings || !(ceilings->launch_s > 0)) return std::nullopt;
  const double empty = summarize(timed.empty_seconds).median;
  const double within = launches_within(timed.mode, timed.batch, launches);
  // An empty sample of a graph is that of one kernel.
  return (is_graph(timed.mode) ? empty : within * empty) - within * ceilings->launch_s;
}

// Computes the figures of one mode's series from all processes.
BenchSeries figures(const std::vector<const TimedSeries*>& processes, size_t launches,
                    const Measurement& measurement, const std::optional<Ceilings>& ceilings,
                    const std::optional<double>& peak) {
  BenchSeries series;
  series.mode = processes.front()->mode;
  series.batch = processes.front()->batch;
  series.stop = processes.front()->stop;
  std::vector<double> medians, singles;
  for (const TimedSeries* timed : processes) {
    require_times(timed->seconds);
    require_times(timed->empty_seconds);
    require_times(timed->single_seconds);
    BenchProcess process;
    process.count = timed->seconds.size();
    process.overhead_s = overhead_of(*timed, launches, ceilings);
    process.clock_mhz = timed->clock_mhz;
    process.clock_change = timed->clock_change;
    std::vector<double> own;
    for (const double sample : timed->seconds)
      own.push_back(std::max(kLeastTime, sample - process.overhead_s.value_or(0)));
    process.median_s = summarize(own).median;
    medians.push_back(process.median_s);
    if (!timed->single_seconds.empty()) singles.push_back(summarize(timed->single_seconds).median);
    series.samples.insert(series.samples.end(), own.begin(), own.end());
    series.processes.push_back(process);
    series.latency_hidden = series.latency_hidden && timed->latency_hidden;
    if (timed->stop != StopReason::precise) series.stop = timed->stop;
  }
  if (!singles.empty()) series.single_s = summarize(std::move(singles)).median;
  series.summary = summarize(series.samples);
  if (medians.size() > 1) {
    const Mean mean = mean_of(medians);
    series.summary.median = mean.value;
    series.summary.interval = mean.interval();
    series.summary.interval.low = std::max(0.0, series.summary.interval.low);
  }
  if (is_transfer(series.mode)) {
    series.moved_bytes = processes.front()->moved_bytes;
    if (series.moved_bytes)
      series.bytes_per_s = over(static_cast<double>(*series.moved_bytes), series.summary.median);
    return series;
  }
  series.bytes_per_s = over(measurement.bytes, series.summary.median);
  series.flops_per_s = over(measurement.flops, series.summary.median);
  if (ceilings) {
    series.copy_share = over(series.bytes_per_s, ceilings->copy_bytes_per_s);
    series.read_share = over(series.bytes_per_s, ceilings->read_bytes_per_s);
  }
  if (peak) series.peak_share = over(series.flops_per_s, *peak);
  return series;
}

}  // namespace

std::optional<TimedCase> timed_case(const PlannedCase& planned, std::string sources,
                                    const TimingOptions& options,
                                    std::vector<Measurement> processes,
                                    const std::optional<Ceilings>& ceilings) {
  if (processes.empty()) return std::nullopt;
  TimedCase timed;
  for (const PlanAxis& axis : planned.plan.point)
    timed.axes.emplace_back(axis.name, RecordedValue{axis.value});
  timed.sources = std::move(sources);
  timed.restore = planned.plan.restore;
  timed.options = options;
  timed.budget_s = options.budget_s;
  timed.precision = options.precision;
  Measurement& together = timed.measurement;
  together = processes.front();
  together.after = processes.back().after;
  together.series.clear();
  together.seconds = 0;
  for (const Measurement& one : processes) {
    together.seconds += one.seconds;
    if (!one.honest.first_s) continue;
    NewStateTimes& times = timed.new_state.emplace_back();
    times.first_s = one.honest.first_s;
    if (!one.honest.last_s.empty()) times.last_s = summarize(one.honest.last_s).median;
  }
  timed.peak_flops_per_s = together.given_peak;
  if (!timed.peak_flops_per_s && together.flops && ceilings)
    timed.peak_flops_per_s = ceilings->flops_per_s(together.peak_dtype);
  if (timed.peak_flops_per_s && !together.given_peak) timed.peak_dtype = together.peak_dtype;
  for (const TimedSeries& first : processes.front().series) {
    std::vector<const TimedSeries*> same;
    uint64_t late = 0;
    for (const Measurement& one : processes) {
      for (const TimedSeries& series : one.series) {
        if (series.mode != first.mode || series.seconds.empty()) continue;
        same.push_back(&series);
        late += series.late;
      }
    }
    if (same.empty()) continue;
    timed.series.push_back(
        figures(same, together.kernels.size(), together, ceilings, timed.peak_flops_per_s));
    timed.series.back().late = late;
    together.series.push_back(*same.front());
  }
  if (timed.series.empty()) return std::nullopt;
  static_cast<MeasuredFacts&>(timed) = together;
  timed.untested = together.honest.untested;
  return timed;
}

namespace {

// One side's series with the empty kernels of both, where these are alike: an overhead of each would
// add to the ratio what they happen to differ by.
TimedSeries with_empties(const TimedSeries& own, const TimedSeries& other) {
  TimedSeries series;
  series.mode = own.mode;
  series.batch = own.batch;
  series.empty_seconds = own.empty_seconds;
  if (own.batch == other.batch)
    series.empty_seconds.insert(series.empty_seconds.end(), other.empty_seconds.begin(),
                                other.empty_seconds.end());
  return series;
}

}  // namespace

void hold_against(TimedCase& timed, const TimedBaseline& baseline,
                  const std::optional<Ceilings>& ceilings) {
  timed.against = baseline.name;
  if (baseline.job.processes.empty()) return;
  const Measurement& its = baseline.job.processes.front();
  timed.against_counters = its.counters;
  for (BenchSeries& series : timed.series) {
    std::vector<double> own_s, baseline_s;
    const auto find = [&](const std::vector<TimedSeries>& all) {
      const auto found = std::ranges::find(all, series.mode, &TimedSeries::mode);
      return found == all.end() || found->seconds.empty() ? nullptr : &*found;
    };
    for (const TimedRound& round : baseline.rounds) {
      const TimedSeries *own = find(round.own), *other = find(round.baseline);
      if (own == nullptr || other == nullptr || own->seconds.size() != other->seconds.size())
        continue;
      require_times(own->seconds);
      require_times(other->seconds);
      const PairedLevels levels = paired_levels(own->seconds, other->seconds);
      const auto run_s = [&](double level, const TimedSeries& of, size_t launches) {
        return std::max(kLeastTime, level - overhead_of(of, launches, ceilings).value_or(0));
      };
      own_s.push_back(
          run_s(levels.first, with_empties(*own, *other), timed.measurement.kernels.size()));
      baseline_s.push_back(run_s(levels.second, with_empties(*other, *own), its.kernels.size()));
    }
    if (own_s.size() > 1) series.relative = mean_relative_time(own_s, baseline_s);
  }
}

std::string sources_hash(const Plan& plan, const fs::path& suite_folder) {
  Sha256 hash;
  hash.add_field(describe(plan));
  for (const Unit& unit : plan.units) {
    const std::string text = unit.file.empty() ? unit.source : read_file(suite_folder / unit.file);
    IncludeSearch search;
    search.folder = suite_folder;
    for (const std::string& folder : unit.include) search.folders.push_back(suite_folder / folder);
    hash.add_field(text);
    for (const Header& header : resolve_includes(text, unit.file, search).headers) {
      hash.add_field(header.spelling).add_field(header.text);
    }
  }
  return hash.finish_hex();
}

std::vector<std::string> throttling(const Measurement& measurement) {
  // An idle device and settings that a person made are harmless; NVML's other clock reasons are
  // not.
  static const std::vector<std::string> kHarmless = {"gpu_idle", "applications_clocks_setting",
                                                     "display_clock_setting"};
  std::vector<std::string> reasons;
  for (const DeviceState* state : {&measurement.before, &measurement.after}) {
    for (const std::string& reason : state->throttle_reasons) {
      const bool known = std::ranges::find(reasons, reason) != reasons.end();
      const bool harmless = std::ranges::find(kHarmless, reason) != kHarmless.end();
      if (!known && !harmless) reasons.push_back(reason);
    }
  }
  return reasons;
}

}  // namespace warpmark
