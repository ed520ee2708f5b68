// What a device's report of a fault means, for a beginner.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/outcome.hpp"

namespace warpmark {

/// Explains one report (warpmark/device.h). `file` is the submitted file: other files are named
/// beside the line. Members that are missing or of another kind than described are left out; ""
/// for a kind that is not known.
std::string explain_report(const nlohmann::ordered_json& report, const std::string& file);

/// Explains a fault, limit or crash: the first report, and how many others there are; without
/// reports what the driver said of it.
std::string explain_fault(const Outcome& outcome, const std::string& file);

}  // namespace warpmark
