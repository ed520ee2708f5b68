// What a device's report of a fault means, for a beginner.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "grade/feedback/submitted_names.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Explains one report (warpmark/device.h). `names` are the student's: other files are named beside
/// the line. Members that are missing or of another kind than described are left out; ""
/// for a kind that is not known.
std::string explain_report(const nlohmann::ordered_json& report, const SubmittedNames& names);

/// Explains a fault, limit or crash: the first report, and how many others there are; without
/// reports what the driver said of it.
std::string explain_fault(const Outcome& outcome, const SubmittedNames& names);

}  // namespace warpmark
