// Complete outcomes, for transfer between our processes: records (results/outcome_record.hpp) keep
// less.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/outcome.hpp"

namespace warpmark {

nlohmann::json outcome_json(const Outcome& outcome);

/// Reads an outcome that outcome_json wrote. Throws an exception of nlohmann-json for any other
/// value.
Outcome outcome_from(const nlohmann::json& json);

}  // namespace warpmark
