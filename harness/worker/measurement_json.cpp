#include "worker/measurement_json.hpp"

#include <cmath>
#include <stdexcept>

namespace warpmark::protocol {

namespace {

using Json = nlohmann::json;

// Infinity and NaN are null in JSON, and so no number here.
double finite(const Json& json) {
  const auto number = json.get<double>();
  if (!std::isfinite(number) || number < 0) throw std::runtime_error("a time or rate is no number");
  return number;
}

template <typename Enum>
Enum enum_from(const Json& json, Enum last) {
  const int value = json.get<int>();
  if (value < 0 || value > static_cast<int>(last)) throw std::runtime_error("a state is unknown");
  return static_cast<Enum>(value);
}

Json to_json(const TimedSeries& series) {
  return {{"mode", static_cast<int>(series.mode)},
          {"batch", series.batch},
          {"moved_bytes", json_or_null<Json>(series.moved_bytes)},
          {"seconds", series.seconds},
          {"empty_seconds", series.empty_seconds},
          {"single_seconds", series.single_seconds},
          {"clock_mhz", json_or_null<Json>(series.clock_mhz)},
          {"clock_change", json_or_null<Json>(series.clock_change)},
          {"stop", static_cast<int>(series.stop)},
          {"latency_hidden", series.latency_hidden},
          {"late", series.late}};
}

TimedSeries series_from(const Json& json) {
  TimedSeries series;
  series.mode = enum_from(json.at("mode"), TimingMode::pageable_download);
  series.batch = json.at("batch");
  if (const Json& moved = json.at("moved_bytes"); !moved.is_null()) series.moved_bytes = moved;
  for (const Json& sample : json.at("seconds")) series.seconds.push_back(finite(sample));
  if (series.seconds.empty()) throw std::runtime_error("a series has no samples");
  for (const Json& sample : json.at("empty_seconds"))
    series.empty_seconds.push_back(finite(sample));
  for (const Json& sample : json.at("single_seconds"))
    series.single_seconds.push_back(finite(sample));
  if (const Json& clock = json.at("clock_mhz"); !clock.is_null()) series.clock_mhz = finite(clock);
  if (const Json& change = json.at("clock_change"); !change.is_null())
    series.clock_change = finite(change);
  series.stop = enum_from(json.at("stop"), StopReason::samples);
  series.latency_hidden = json.at("latency_hidden");
  series.late = json.at("late");
  return series;
}

KernelFacts kernel_from(const Json& json) {
  auto kernel = object_from<KernelFacts>(json);
  finite(json.at("occupancy"));
  return kernel;
}

}  // namespace

Json to_json(const TimingOptions& options) {
  Json modes = Json::array();
  for (const TimingMode mode : options.modes) modes.push_back(static_cast<int>(mode));
  return {{"modes", modes},
          {"budget_s", options.budget_s},
          {"precision", options.precision},
          {"min_samples", options.min_samples},
          {"min_seconds", options.min_seconds},
          {"max_samples", options.max_samples},
          {"profile", options.profile}};
}

TimingOptions timing_options_from(const Json& json) {
  TimingOptions options;
  options.modes.clear();
  for (const Json& mode : json.at("modes"))
    options.modes.push_back(enum_from(mode, TimingMode::pageable_download));
  options.budget_s = finite(json.at("budget_s"));
  options.precision = finite(json.at("precision"));
  options.min_samples = json.at("min_samples");
  options.min_seconds = finite(json.at("min_seconds"));
  options.max_samples = json.at("max_samples");
  options.profile = json.at("profile");
  return options;
}

Json to_json(const Measurement& measurement) {
  Json series = Json::array();
  for (const TimedSeries& one : measurement.series) series.push_back(to_json(one));
  Json kernels = Json::array();
  for (const KernelFacts& kernel : measurement.kernels) kernels.push_back(json_of<Json>(kernel));
  Json counters = Json::array();
  for (const auto& [name, value] : measurement.counters) counters.push_back({name, value});
  return {{"series", series},
          {"kernels", kernels},
          {"counters", counters},
          {"before", json_of<Json>(measurement.before)},
          {"after", json_of<Json>(measurement.after)},
          {"seconds", measurement.seconds},
          {"honest", json_of<Json>(measurement.honest)},
          {"outputs_differ", measurement.outputs_differ},
          {"digest", json_or_null<Json>(measurement.digest)}};
}

Measurement measurement_from(const Json& json) {
  Measurement measurement;
  for (const Json& one : json.at("series")) measurement.series.push_back(series_from(one));
  for (const Json& one : json.at("kernels")) measurement.kernels.push_back(kernel_from(one));
  for (const Json& counter : json.at("counters")) {
    measurement.counters.emplace_back(counter.at(0).get<std::string>(), counter.at(1));
  }
  measurement.before = object_from<DeviceState>(json.at("before"));
  measurement.after = object_from<DeviceState>(json.at("after"));
  measurement.seconds = finite(json.at("seconds"));
  measurement.outputs_differ = json.at("outputs_differ");
  if (const Json& digest = json.at("digest"); !digest.is_null()) measurement.digest = digest;
  const Json& honest = json.at("honest");
  measurement.honest = object_from<HonestRuns>(honest);
  if (measurement.honest.first_s) finite(honest.at("first_s"));
  for (const Json& one : honest.at("last_s")) finite(one);
  return measurement;
}

Ceilings ceilings_from(const Json& json) {
  auto ceilings = object_from<Ceilings>(json);
  for (const char* name :
       {"copy_bytes_per_s", "read_bytes_per_s", "launch_s", "memory_bytes_per_s",
        "float64_flops_per_s", "float32_flops_per_s", "float16_flops_per_s", "clock_headroom"}) {
    finite(json.at(name));
  }
  return ceilings;
}

}  // namespace warpmark::protocol
