// JSON as text, and back. The library's writer and parser are templates: a file that calls them
// itself compiles them again, which takes two seconds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace warpmark {

/// On one line, without blanks. What is not UTF-8 in a text becomes U+FFFD.
std::string json_line(const nlohmann::json& value);
std::string json_line(const nlohmann::ordered_json& value);

/// On several lines, indented by two blanks, without a newline at the end.
std::string json_page(const nlohmann::ordered_json& value);

/// The same, where a part that fits into 100 columns stays on its line.
std::string json_wrapped(const nlohmann::ordered_json& value);

/// The page as a document for files and standard output: with a last newline, and so that no text in
/// it is a command to a CI runner that prints it.
std::string json_document(const nlohmann::ordered_json& value);

/// Throws nlohmann::json::parse_error, which says where.
nlohmann::ordered_json parse_json(std::string_view text);

/// A value that is_discarded() where the text is not JSON.
nlohmann::json try_parse_json(std::string_view text);
nlohmann::ordered_json try_parse_ordered_json(std::string_view text);

}  // namespace warpmark
