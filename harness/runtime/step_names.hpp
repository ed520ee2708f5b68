// The names of the steps that reports, counts or failures belong to, for people.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// "step 2, `scan` (i = 3)"; "" for a plan of one step, and for an index outside of its steps.
std::string step_title(const Plan& plan, std::optional<size_t> step);

/// Replaces the index of the step in reports by its title, and puts it before their message, too.
/// Returns the name of the launch of the first of them; "" for none, and for the only step.
std::string name_steps(const Plan& plan, std::vector<nlohmann::ordered_json>& reports);

/// The same for a failed run, and for its message.
std::string name_steps(const Plan& plan, protocol::Failure& failure);

/// The name of a launch, or of its kernel.
const std::string& step_name(const LaunchStep& launch);

/// Adds to the counters of launches, one item for each in their order, the `step`, and as
/// `step_name` the common name of its rounds: "scan".
void name_launches(const Plan& plan, std::vector<nlohmann::ordered_json>& launches);

/// The names of the plan's launches, each once.
std::vector<std::string> step_names(const Plan& plan);

/// The same from counters that have been named; empty for a plan of one step.
std::vector<std::string> step_names(const std::vector<nlohmann::ordered_json>& launches);

/// The counters of the launches with that name.
std::vector<nlohmann::ordered_json> launches_of_step(
    const std::vector<nlohmann::ordered_json>& launches, const std::string& name);

}  // namespace warpmark
