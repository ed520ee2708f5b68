#include "results/measurement_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "compiler/includes.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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

Json record_of(const BenchProcess& process) {
  return {{"count", process.count},
          {"median_s", process.median_s},
          {"overhead_s", json_or_null<Json>(process.overhead_s)},
          {"clock_mhz", json_or_null<Json>(process.clock_mhz)},
          {"clock_change", json_or_null<Json>(process.clock_change)}};
}

Json record_of(const BenchSeries& series, uint64_t late) {
  const Summary& summary = series.summary;
  Json processes = Json::array();
  for (const BenchProcess& process : series.processes) processes.push_back(record_of(process));
  Json record = {{"mode", to_text(series.mode)},
                 {"batch", series.batch},
                 {"stop", to_text(series.stop)},
                 {"latency_hidden", series.latency_hidden},
                 {"late", late},
                 {"count", summary.count},
                 {"median_s", summary.median},
                 {"low_s", summary.interval.low},
                 {"high_s", summary.interval.high},
                 {"confidence", summary.interval.confidence},
                 {"q1_s", summary.q1},
                 {"q3_s", summary.q3},
                 {"min_s", summary.min},
                 {"max_s", summary.max},
                 {"bytes_per_s", json_or_null<Json>(series.bytes_per_s)},
                 {"flops_per_s", json_or_null<Json>(series.flops_per_s)},
                 {"copy_share", json_or_null<Json>(series.copy_share)},
                 {"read_share", json_or_null<Json>(series.read_share)},
                 {"peak_share", json_or_null<Json>(series.peak_share)},
                 {"processes", std::move(processes)},
                 {"samples_s", series.samples}};
  if (series.moved_bytes) record["moved_bytes"] = *series.moved_bytes;
  if (series.single_s) record["single_s"] = *series.single_s;
  return record;
}

Json record_of(const KernelFacts& kernel) {
  Json record = json_of<Json>(kernel);
  if (kernel.active_blocks <= 0) record["active_blocks"] = record["occupancy"] = nullptr;
  return record;
}

Json record_of(const HonestRuns& honest) {
  Json record = {{"first_s", json_or_null<Json>(honest.first_s)}, {"last_s", nullptr}};
  if (!honest.last_s.empty()) record["last_s"] = summarize(honest.last_s).median;
  return record;
}

Json value_of(const ArithmeticValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  if (const auto* fraction = std::get_if<double>(&value)) return *fraction;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return to_text(value);
}

}  // namespace

std::optional<int64_t> TimedCase::counter(const std::string& name) const {
  for (const auto& [counted, value] : measurement.counters) {
    if (counted == name) return value;
  }
  return std::nullopt;
}

std::optional<TimedCase> timed_case(const PlannedCase& planned, std::string sources,
                                    const TimingOptions& options,
                                    std::vector<Measurement> processes,
                                    const std::optional<Ceilings>& ceilings) {
  if (processes.empty()) return std::nullopt;
  TimedCase timed;
  timed.point = planned.plan.point;
  timed.sources = std::move(sources);
  timed.restore = planned.plan.restore;
  timed.options = options;
  Measurement& together = timed.measurement;
  together = processes.front();
  together.after = processes.back().after;
  together.series.clear();
  together.seconds = 0;
  for (const Measurement& one : processes) {
    together.seconds += one.seconds;
    timed.honest.push_back(one.honest);
  }
  timed.peak_flops_per_s = together.given_peak;
  if (!timed.peak_flops_per_s && together.flops && ceilings)
    timed.peak_flops_per_s = ceilings->flops_per_s(together.peak_dtype);
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
    together.series.push_back(*same.front());
    together.series.back().late = late;
  }
  if (timed.series.empty()) return std::nullopt;
  return timed;
}

std::optional<RelativeTime> relative_to_baseline(const TimedCase& timed,
                                                 const TimedCase& baseline) {
  const auto medians = [](const TimedCase& of) {
    std::vector<double> seconds;
    for (const BenchProcess& process : of.series.front().processes)
      if (process.median_s > 0) seconds.push_back(process.median_s);
    return seconds;
  };
  const std::vector<double> own_s = medians(timed), baseline_s = medians(baseline);
  if (own_s.empty() || own_s.size() != baseline_s.size()) return std::nullopt;
  return relative_time(own_s, baseline_s);
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

Json measurement_record(const TimedCase& timed) {
  const Measurement& measurement = timed.measurement;
  Json point = Json::array(), series = Json::array(), kernels = Json::array(),
       counters = Json::array();
  for (const PlanAxis& axis : timed.point) {
    point.push_back({{"name", axis.name}, {"value", value_of(axis.value)}});
  }
  for (size_t i = 0; i < timed.series.size(); ++i) {
    series.push_back(record_of(timed.series[i], measurement.series[i].late));
  }
  for (const KernelFacts& kernel : measurement.kernels) kernels.push_back(record_of(kernel));
  for (const auto& [name, value] : measurement.counters) {
    counters.push_back({{"name", name}, {"value", value}});
  }
  Json record = {{"point", std::move(point)}};
  if (!timed.sweep.axes.empty()) record["sweep"] = timed.sweep.axes;
  for (const auto& [axis, label] : timed.sweep.relative_to) {
    record["relative_to"].push_back({{"name", axis}, {"label", label}});
  }
  record.update({{"sources", timed.sources},
                 {"budget_s", timed.options.budget_s},
                 {"precision", timed.options.precision},
                 {"restore", to_text(timed.restore)},
                 {"bytes", json_or_null<Json>(measurement.bytes)},
                 {"flops", json_or_null<Json>(measurement.flops)},
                 {"peak_flops_per_s", json_or_null<Json>(timed.peak_flops_per_s)},
                 {"peak_dtype", measurement.given_peak || !timed.peak_flops_per_s
                                    ? Json(nullptr)
                                    : Json(measurement.peak_dtype)},
                 {"series", std::move(series)},
                 {"kernels", std::move(kernels)},
                 {"counters", std::move(counters)},
                 {"before", json_of<Json>(measurement.before)},
                 {"after", json_of<Json>(measurement.after)},
                 {"seconds", std::isfinite(measurement.seconds) && measurement.seconds >= 0
                                 ? Json(measurement.seconds)
                                 : Json(nullptr)}});
  for (const HonestRuns& honest : timed.honest) {
    if (honest.first_s) record["new_state"].push_back(record_of(honest));
  }
  if (timed.relative) record["relative_to_baseline"] = json_of<Json>(*timed.relative);
  if (!timed.honest.empty() && !timed.honest.front().untested.empty())
    record["untested"] = timed.honest.front().untested;
  return record;
}

std::vector<std::string> throttling(const Measurement& measurement) {
  // An idle device and settings that a person made are harmless; NVML's other clock reasons are
  // not.
  static const std::vector<std::string> kHarmless = {"gpu_idle", "applications_clocks_setting",
                                                     "display_clock_setting"};
  std::vector<std::string> reasons;
  for (const DeviceState* state : {&measurement.before, &measurement.after}) {
    for (const std::string& reason : state->throttle_reasons) {
      const bool known = std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
      const bool harmless =
          std::find(kHarmless.begin(), kHarmless.end(), reason) != kHarmless.end();
      if (!known && !harmless) reasons.push_back(reason);
    }
  }
  return reasons;
}

}  // namespace warpmark
