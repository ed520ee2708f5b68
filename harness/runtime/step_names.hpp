// Which step of several a report, a count or a failure belongs to, in a person's words.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// "step 2, `scan` (i = 3)"; "" for a plan of one step, and where the index is none of its steps.
std::string step_title(const Plan& plan, std::optional<size_t> step);

/// Reports that have the index of their step get its title instead, in front of their message too.
/// Returns the name of the launch that the first of them is about; "" for none, and for the only step.
std::string name_steps(const Plan& plan, std::vector<nlohmann::ordered_json>& reports);

/// The same of a run that failed, and of its message.
std::string name_steps(const Plan& plan, protocol::Failure& failure);

/// What a launch is called: its name, or its kernel's.
const std::string& step_name(const LaunchStep& launch);

/// Counters of launches, one item for each in their order, get the `step`, and as `step_name` what
/// its rounds have in common: "scan".
void name_launches(const Plan& plan, std::vector<nlohmann::ordered_json>& launches);

/// What the plan's launches are called, each name once.
std::vector<std::string> step_names(const Plan& plan);

/// The same of counters that have been named; empty for a plan of one step.
std::vector<std::string> step_names(const std::vector<nlohmann::ordered_json>& launches);

/// The counters of the launches with that name.
std::vector<nlohmann::ordered_json> launches_of_step(
    const std::vector<nlohmann::ordered_json>& launches, const std::string& name);

}  // namespace warpmark
