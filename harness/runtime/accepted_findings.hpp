// Findings of the device that a suite allows, or that a suppression accepts.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "plan/plan.hpp"
#include "runtime/outcome.hpp"
#include "warpmark/suppressions.hpp"

namespace warpmark {

/// The reports of a device without the races that the plan allows, and without findings that a
/// suppression accepts; the outcome gets its line.
std::vector<nlohmann::ordered_json> without_allowed(const Plan& plan,
                                                    const std::vector<Suppression>& suppressions,
                                                    std::vector<nlohmann::ordered_json> reports,
                                                    Outcome& outcome);

}  // namespace warpmark
