// Measurements as worker and front hand them over.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

// On the wire, and in records (schema/outcome.json).
WARPMARK_FIELDS(KernelFacts, entry, grid, block, registers, shared_bytes, local_bytes,
                active_blocks, occupancy)
WARPMARK_FIELDS(DeviceState, sm_clock_mhz, memory_clock_mhz, max_sm_clock_mhz, temperature_c,
                power_w, ecc, mig, throttle_reasons)
WARPMARK_FIELDS(HonestRuns, first_s, is_warm, last_s, untested)
WARPMARK_FIELDS(Ceilings, copy_bytes_per_s, read_bytes_per_s, array_bytes, launch_s,
                memory_bytes_per_s, float64_flops_per_s, float32_flops_per_s, float16_flops_per_s,
                clock_headroom)
WARPMARK_FIELDS(TimedSeries, mode, batch, seconds, moved_bytes, empty_seconds, single_seconds,
                clock_mhz, clock_change, stop, latency_hidden, late)
// The worker knows neither amounts nor peaks.
WARPMARK_FIELDS(Measurement, series, kernels, counters, before, after, seconds, honest,
                outputs_differ, digest)
WARPMARK_FIELDS(TimingOptions, modes, budget_s, precision, min_samples, min_seconds, max_samples,
                profile)

}  // namespace warpmark

namespace warpmark::protocol {

/// Throw std::runtime_error for values that no measurement can have: a time or rate that is
/// negative, a series without samples, an unknown mode. The worker is not trusted.
void validate(const Measurement& measurement);
void validate(const Ceilings& ceilings);
/// The same of options, which a worker gets.
void validate(const TimingOptions& options);

}  // namespace warpmark::protocol
