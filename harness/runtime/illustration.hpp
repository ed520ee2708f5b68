// Facts that pictures of a failure show beside its findings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Adds to a failed outcome the samples of `launches`, the counters of the case's launches, if a
/// counter is at fault; and with `lines` the texts of the lines that races and samples name.
void illustrate(const Case& which, const PlannedCase& planned,
                const std::vector<nlohmann::ordered_json>& launches, bool lines, Outcome& outcome);

}  // namespace warpmark
