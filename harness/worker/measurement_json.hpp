// Measurements as worker and front hand them over.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "worker/measurement.hpp"

namespace warpmark {

/// The members of KernelFacts in JSON, on the wire and in records (schema/outcome.json).
template <typename Visit>
void each_field(KernelFacts& kernel, const Visit& visit) {
  visit("entry", kernel.entry);
  visit("grid", kernel.grid);
  visit("block", kernel.block);
  visit("registers", kernel.registers);
  visit("shared_bytes", kernel.shared_bytes);
  visit("local_bytes", kernel.local_bytes);
  visit("active_blocks", kernel.active_blocks);
  visit("occupancy", kernel.occupancy);
}

/// Those of DeviceState.
template <typename Visit>
void each_field(DeviceState& state, const Visit& visit) {
  visit("sm_clock_mhz", state.sm_clock_mhz);
  visit("memory_clock_mhz", state.memory_clock_mhz);
  visit("max_sm_clock_mhz", state.max_sm_clock_mhz);
  visit("temperature_c", state.temperature_c);
  visit("power_w", state.power_w);
  visit("ecc", state.ecc);
  visit("mig", state.mig);
  visit("throttle_reasons", state.throttle_reasons);
}

/// Those of HonestRuns.
template <typename Visit>
void each_field(HonestRuns& honest, const Visit& visit) {
  visit("first_s", honest.first_s);
  visit("is_warm", honest.is_warm);
  visit("last_s", honest.last_s);
  visit("untested", honest.untested);
}

/// Those of Ceilings.
template <typename Visit>
void each_field(Ceilings& ceilings, const Visit& visit) {
  visit("copy_bytes_per_s", ceilings.copy_bytes_per_s);
  visit("read_bytes_per_s", ceilings.read_bytes_per_s);
  visit("array_bytes", ceilings.array_bytes);
  visit("launch_s", ceilings.launch_s);
  visit("memory_bytes_per_s", ceilings.memory_bytes_per_s);
  visit("float64_flops_per_s", ceilings.float64_flops_per_s);
  visit("float32_flops_per_s", ceilings.float32_flops_per_s);
  visit("float16_flops_per_s", ceilings.float16_flops_per_s);
  visit("clock_headroom", ceilings.clock_headroom);
}

}  // namespace warpmark

namespace warpmark::protocol {

nlohmann::json to_json(const TimingOptions& options);
nlohmann::json to_json(const Measurement& measurement);

/// All throw what nlohmann-json throws for what is none, and std::runtime_error for numbers that no
/// measurement can have: a time that is negative or not finite.
TimingOptions timing_options_from(const nlohmann::json& json);
Measurement measurement_from(const nlohmann::json& json);
Ceilings ceilings_from(const nlohmann::json& json);

}  // namespace warpmark::protocol
