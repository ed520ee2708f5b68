// JSON as text. In a file of its own: the library's writer is a template, which each file that calls
// it compiles again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warpmark::cpu {

/// On one line, without blanks. Its texts are UTF-8 (see safe() in report.hpp); others throw.
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace warpmark::cpu
