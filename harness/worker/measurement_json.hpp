// Measurements as worker and front hand them over, and as records have them (schema/outcome.json).
#pragma once

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

template <typename Visit>
void each_field(KernelFacts& kernel, const Visit& visit) {
  const bool fits = kernel.active_blocks > 0;
  visit(FieldInfo("entry").in_each_row(), kernel.entry);
  visit(FieldInfo("grid").column(), kernel.grid);
  visit(FieldInfo("block").column(), kernel.block);
  visit(FieldInfo("registers", "Of a thread.").or_null(), kernel.registers);
  visit(FieldInfo("shared_bytes", "Of a block, static and dynamic.").or_null(),
        kernel.shared_bytes);
  visit(FieldInfo("local_bytes", "Of a thread, spills included.").or_null(), kernel.local_bytes);
  visit(FieldInfo("active_blocks", "On one multiprocessor at a time.").or_null(fits),
        kernel.active_blocks);
  visit(FieldInfo("occupancy", "Resident warps over those that a multiprocessor can hold.")
            .or_null(fits),
        kernel.occupancy);
}
WARPMARK_FIELDS(DeviceState, sm_clock_mhz, memory_clock_mhz, max_sm_clock_mhz, temperature_c,
                power_w, ecc, mig, throttle_reasons)
WARPMARK_FIELDS(HonestRuns, first_s, is_warm, last_s, untested)
template <typename Visit>
void each_field(Ceilings& best, const Visit& visit) {
  visit({"copy_bytes_per_s", "Of a copy on the device, read and written."}, best.copy_bytes_per_s);
  visit({"read_bytes_per_s", "Of a kernel that only reads."}, best.read_bytes_per_s);
  visit(FieldInfo("array_bytes").no_column(), best.array_bytes);
  visit(
      FieldInfo("launch_s", "Of an empty kernel, where one follows another.").from_month("2026-12"),
      best.launch_s);
  visit(FieldInfo("memory_bytes_per_s",
                  "At most, by the memory's clock and bus; 0 if the driver does not say.")
            .no_column()
            .from_month("2026-12"),
        best.memory_bytes_per_s);
  visit(FieldInfo("float64_flops_per_s",
                  "Of fused multiply-adds of the plain cores, two operations each; 0 if they were "
                  "not measured.")
            .from_month("2026-12"),
        best.float64_flops_per_s);
  visit(FieldInfo("float32_flops_per_s").from_month("2026-12"), best.float32_flops_per_s);
  visit(FieldInfo("float16_flops_per_s", "Of two at a time.").from_month("2026-12"),
        best.float16_flops_per_s);
  visit(FieldInfo("clock_headroom",
                  "The greatest clock of a multiprocessor over the one that it had at these; 0 if "
                  "it is not known.")
            .no_column()
            .from_month("2026-12"),
        best.clock_headroom);
}

// Between processes alone.
WARPMARK_FIELDS(TimedSeries, mode, batch, seconds, moved_bytes, empty_seconds, single_seconds,
                clock_mhz, clock_change, stop, latency_hidden, late)
// The worker knows neither amounts nor peaks.
WARPMARK_FIELDS(Measurement, series, kernels, counters, before, after, seconds, honest,
                outputs_differ, digest, inputs_differ)
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
