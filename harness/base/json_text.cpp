#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

#include "base/log_text.hpp"

namespace warpmark {
namespace {

template <typename Json>
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
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
