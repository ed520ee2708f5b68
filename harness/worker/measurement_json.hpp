// Measurements as worker and front hand them over.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "worker/measurement.hpp"

namespace warpmark {

/// A value, or JSON's null. `Json` is nlohmann::json, or ordered_json where records want an order.
template <typename Json, typename Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// On the wire and in records alike (schema/outcome.json).
template <typename Json>
Json json_of(const DeviceState& state) {
  return {{"sm_clock_mhz", json_or_null<Json>(state.sm_clock_mhz)},
          {"memory_clock_mhz", json_or_null<Json>(state.memory_clock_mhz)},
          {"max_sm_clock_mhz", json_or_null<Json>(state.max_sm_clock_mhz)},
          {"temperature_c", json_or_null<Json>(state.temperature_c)},
          {"power_w", json_or_null<Json>(state.power_w)},
          {"ecc", json_or_null<Json>(state.ecc)},
          {"mig", json_or_null<Json>(state.mig)},
          {"throttle_reasons", state.throttle_reasons}};
}

}  // namespace warpmark

namespace warpmark::protocol {

nlohmann::json to_json(const TimingOptions& options);
nlohmann::json to_json(const Measurement& measurement);
nlohmann::json to_json(const Ceilings& ceilings);

/// All throw what nlohmann-json throws for what is none, and std::runtime_error for numbers that no
/// measurement can have: a time that is negative or not finite.
TimingOptions timing_options_from(const nlohmann::json& json);
Measurement measurement_from(const nlohmann::json& json);
Ceilings ceilings_from(const nlohmann::json& json);

}  // namespace warpmark::protocol
