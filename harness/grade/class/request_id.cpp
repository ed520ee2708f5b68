#include "grade/class/request_id.hpp"

#include <algorithm>
#include <regex>
#include <string>

#include "base/text.hpp"

namespace warpmark {

namespace {

// Behind the quote at `begin` comes the rest of a text; one past its closing quote, or npos.
size_t end_of_text(std::string_view line, size_t begin) {
  for (size_t at = begin + 1; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

// A text or a number that begins here; null if it is none, or has no end.
nlohmann::json scalar_at(std::string_view line, size_t begin) {
  begin = line.find_first_not_of(" \t\r", begin);
  if (begin == std::string_view::npos) return nullptr;
  const bool is_text = line[begin] == '"';
  size_t end =
      is_text ? end_of_text(line, begin) : line.find_first_not_of("+-.0123456789eE", begin);
  if (end == std::string_view::npos && is_text) return nullptr;
  end = std::min(end, line.size());
  const nlohmann::json value =
      nlohmann::json::parse(line.substr(begin, end - begin), nullptr, false);
  return value.is_string() || value.is_number() ? value : nlohmann::json();
}

nlohmann::json id_of_head(std::string_view line) {
  int depth = 0;
  for (size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const size_t end = end_of_text(line, at);
    if (end == std::string_view::npos) return nullptr;
    const size_t colon = line.find_first_not_of(" \t\r", end);
    if (depth == 1 && line.substr(at, end - at) == "\"id\"" && colon != std::string_view::npos &&
        line[colon] == ':')
      return scalar_at(line, colon + 1);
    at = end - 1;
  }
  return nullptr;
}

// The last member, directly before the one bracket that ends the object: in a text the quotes would
// have backslashes, and in an object inside there would be two brackets.
nlohmann::json id_of_tail(std::string_view line) {
  static const std::regex kLast(
      R"re([^\\]"id"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|[-+.0-9eE]{1,40})\s*\}\s*$)re");
  std::match_results<std::string_view::const_iterator> found;
  if (!std::regex_search(line.begin(), line.end(), found, kLast)) return nullptr;
  return scalar_at(found[1].str(), 0);
}

}  // namespace

nlohmann::json id_of_broken(std::string_view head, std::string_view tail) {
  const std::string_view line = trim(head);
  if (!line.starts_with('{')) return nullptr;
  nlohmann::json id = id_of_head(line);
  if (id.is_null() && !tail.empty()) id = id_of_tail(tail);
  return id;
}

}  // namespace warpmark
