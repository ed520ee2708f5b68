#include "results/comparison_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

// cuDriverGetVersion counts 1000 for a major and 10 for a minor version.
std::string cuda_version(int64_t version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string ending_text(const BenchResult& result) {
  return fmt::format("the run of {} did not come to its end{}", display_path(result.file),
                     result.error.empty() ? "" : ": " + result.error);
}

// Reasons that keep clocks down on purpose, or because the device is idle, are no trouble.
std::vector<std::string> throttling(const BenchCase& one) {
  std::vector<std::string> reasons;
  for (const DeviceState* state : {&one.before, &one.after}) {
    for (const std::string& reason : state->throttle_reasons) {
      const bool harmless = reason == "gpu_idle" || reason == "applications_clocks_setting";
      const bool known = std::ranges::find(reasons, reason) != reasons.end();
      if (!harmless && !known) reasons.push_back(reason);
    }
  }
  return reasons;
}

void add_doubts(const char* whose, const BenchCase& one, const BenchSeries& series,
                double least_effect, std::vector<std::string>& notes) {
  const double half_width = series.summary.half_width();
  if (half_width > least_effect && std::isfinite(half_width)) {
    notes.push_back(
        fmt::format("unstable: the {}'s median is known to ± {:.1f} %", whose, 100 * half_width));
  }
  const std::vector<std::string> reasons = throttling(one);
  if (!reasons.empty()) {
    notes.push_back(fmt::format("the {} was throttled: {}", whose, join(reasons, ", ")));
  }
  if (!series.latency_hidden) {
    notes.push_back(fmt::format("the host's time is in the {}'s samples", whose));
  }
  for (const std::string& what : one.untested)
    notes.push_back(fmt::format("the {} may answer from earlier runs: {}", whose, what));
}

}  // namespace

std::vector<ComparisonNote> comparison_notes(const BenchResult& baseline,
                                             const BenchResult& contender, bool counted) {
  std::vector<ComparisonNote> notes;
  const auto differ = [&](const char* what, const std::string& before, const std::string& after,
                          bool grave = false, const char* consequence = "") {
    if (before == after) return;
    notes.push_back(
        {grave, fmt::format("{} differ: {} and {}{}", what, before, after, consequence)});
  };
  for (const BenchResult* result : {&baseline, &contender}) {
    if (!result->complete) notes.push_back({true, ending_text(*result)});
  }
  differ("the devices", baseline.device_name, contender.device_name, true);
  const std::string nvrtc = "NVRTC " + baseline.nvrtc_version;
  differ(
      "the compilers", nvrtc, "NVRTC " + contender.nvrtc_version, counted,
      counted ? ", and each makes its own instructions, so that counts differ for that alone" : "");
  differ("the architectures", fmt::format("sm_{}", baseline.architecture),
         fmt::format("sm_{}", contender.architecture), true);
  if (!baseline.target.empty() && !contender.target.empty()) {
    differ("the targets of compilation", baseline.target, contender.target);
  }
  differ("the versions of Warpmark", baseline.version, contender.version, false,
         ", and verdicts and counts may differ for that alone");
  if (!baseline.seed.empty() && !contender.seed.empty()) {
    differ("the seeds", baseline.seed, contender.seed, counted,
           counted ? ", and counts may depend on the inputs" : "");
  }
  if (counted) return notes;
  differ("the drivers", cuda_version(baseline.driver_version),
         cuda_version(contender.driver_version));
  if (baseline.device_name == contender.device_name) {
    differ("the devices' UUIDs", baseline.device_uuid, contender.device_uuid);
  }
  differ("the hosts", baseline.processor + ", " + baseline.system,
         contender.processor + ", " + contender.system);
  return notes;
}

std::vector<std::string> doubts(const BenchCase& before, const BenchSeries& baseline,
                                const BenchCase& after, const BenchSeries& contender,
                                double least_effect) {
  std::vector<std::string> notes;
  add_doubts("baseline", before, baseline, least_effect, notes);
  add_doubts("contender", after, contender, least_effect, notes);
  if (baseline.relative && contender.relative && before.against == after.against) {
    notes.push_back(fmt::format("{:.3g} of {} before, and {:.3g} now", baseline.relative->ratio,
                                after.against, contender.relative->ratio));
  }
  if (baseline.batch != contender.batch) {
    notes.push_back(
        fmt::format("a sample is the mean of {} and of {} runs", baseline.batch, contender.batch));
  }
  const auto clock = before.after.sm_clock_mhz, clock_now = after.after.sm_clock_mhz;
  if (clock && clock_now) {
    const double change = static_cast<double>(*clock_now) / static_cast<double>(*clock) - 1;
    if (std::abs(change) > least_effect) {
      notes.push_back(fmt::format("the SM clock was {} and {} MHz", *clock, *clock_now));
    }
  }
  return notes;
}

}  // namespace warpmark
