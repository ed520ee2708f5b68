#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

#include "base/log_text.hpp"

namespace warpmark {
namespace {

template <typename Json>
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

using Json = nlohmann::ordered_json;

// One line, with the blanks that people expect.
std::string one_line(const Json& json) {
  if (!json.is_structured()) return text_of(json, -1);
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!text.empty()) text += ", ";
    if (json.is_object()) text += text_of(Json(key), -1) + ": ";
    text += one_line(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// Structures that fit in what is left of 100 columns stay on their line.
void pretty(const Json& json, size_t indent, size_t used, std::string& out) {
  const std::string line = one_line(json);
  if (!json.is_structured() || json.empty() || (indent > 0 && used + line.size() <= 99)) {
    out += line;
    return;
  }
  const std::string margin(indent + 2, ' ');
  out += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    out += (first ? "\n" : ",\n") + margin;
    first = false;
    const std::string name = json.is_object() ? text_of(Json(key), -1) + ": " : "";
    out += name;
    pretty(value, indent + 2, indent + 2 + name.size(), out);
  }
  out += "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

}  // namespace

std::string json_line(const nlohmann::json& value) {
  return text_of(value, -1);
}

std::string json_line(const nlohmann::ordered_json& value) {
  return text_of(value, -1);
}

std::string json_page(const nlohmann::ordered_json& value) {
  return text_of(value, 2);
}

std::string json_wrapped(const nlohmann::ordered_json& value) {
  std::string text;
  pretty(value, 0, 0, text);
  return text;
}

std::string json_document(const nlohmann::ordered_json& value) {
  return json_without_commands(json_page(value)) + "\n";
}

nlohmann::ordered_json parse_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

nlohmann::json try_parse_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

nlohmann::ordered_json try_parse_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace warpmark
