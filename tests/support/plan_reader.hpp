// Whole plans from the JSON that `warpmark plan` prints.
#pragma once

#include <nlohmann/json.hpp>

#include "plan/plan.hpp"

namespace warpmark {

/// Reads a plan that to_json wrote: none of it is lost there. Throws a usage error as
/// read_plan_body.
Plan plan_from_json(const nlohmann::ordered_json& json);

}  // namespace warpmark
