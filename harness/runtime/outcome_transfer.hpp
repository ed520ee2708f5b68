// Outcomes as processes of ours hand them to each other, whole: records (results/outcome_record.hpp)
// keep less.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/outcome.hpp"

namespace warpmark {

nlohmann::json outcome_json(const Outcome& outcome);

/// What outcome_json made of an outcome. Throws what nlohmann-json throws for what is none.
Outcome outcome_from(const nlohmann::json& json);

}  // namespace warpmark
