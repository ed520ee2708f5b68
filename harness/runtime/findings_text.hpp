// The reports of a device in words for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warpmark {

/// The messages, a line each. Of reports in the same words at one line of the source, apart from
/// numbers, which one mistake makes by the dozen (a missing barrier in a loop that was unrolled),
/// the first is printed with their number. Records have them all.
std::string findings_text(const std::vector<nlohmann::ordered_json>& reports);

/// A text of a report, printable; "" if it has none of that name.
std::string report_text(const nlohmann::ordered_json& report, const char* name);

}  // namespace warpmark
