// A case that was timed: the figures of its samples.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "results/bench_result.hpp"
#include "runtime/timing_job.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// The data that the reports of a run need of a case that was right before and after it was timed.
struct TimedCase : CaseMeasurement {
  TimingOptions options;
  Measurement measurement;  ///< combined from all processes; the series of the first, of which
                            ///< `series` has one or more in the same order
};

/// Works out the figures from the measurements of each process. Series without a sample are left
/// out; returns nothing if none is left. Throws an internal error for an invalid time: negative or
/// not finite.
std::optional<TimedCase> timed_case(const PlannedCase& planned, std::string sources,
                                    const TimingOptions& options,
                                    std::vector<Measurement> processes,
                                    const std::optional<Ceilings>& ceilings);

/// Adds what the case was held against: the ratio of each series, or the counters of a device that
/// counts. Launches of either side are allowed for (BenchSeries).
void hold_against(TimedCase& timed, const TimedBaseline& baseline,
                  const std::optional<Ceilings>& ceilings);

/// SHA-256 over the plan and the texts of its translation units and of their headers outside the
/// toolkit: equal if the measured program is the same. Throws a usage error for a file that cannot
/// be read.
std::string sources_hash(const Plan& plan, const std::filesystem::path& suite_folder);

/// The clock reasons (DeviceState::throttle_reasons) for which the device ran slower than it could
/// have, before or after the sampling; without harmless ones such as an idle device.
std::vector<std::string> throttling(const Measurement& measurement);

}  // namespace warpmark
