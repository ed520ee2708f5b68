// Runs of a case up to one step of several.
#pragma once

#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"

namespace warpmark {

/// True if a launch of the plan has that name, or kernel.
bool has_step(const Plan& plan, const std::string& name);

/// Throws a usage error, with the nearest name, if none of the plans has the step. Plans without
/// launches do not count.
void require_step(const std::string& name, const std::vector<const Plan*>& plans);

/// Leaves out the steps after the last launch of the step. If there are any, the case is `cut`, and
/// all parts that look at results or counters are removed. A fault that the suite expects stays
/// expected.
void end_after_step(PlannedCase& planned, const std::string& name);

}  // namespace warpmark
