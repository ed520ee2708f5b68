// The part of a plan's JSON form that plugins write.
#pragma once

#include <nlohmann/json.hpp>

#include "plan/plan.hpp"

namespace warpmark {

/// Reads units, buffers, scalars, steps, expected, bytes and flops, which are all that a plugin may
/// give, into `plan`. Throws a usage error as plan_from_json does.
void read_plan_body(const nlohmann::ordered_json& json, Plan& plan);

}  // namespace warpmark
