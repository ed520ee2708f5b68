// Measurements as worker and front hand them over.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/measurement.hpp"

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
