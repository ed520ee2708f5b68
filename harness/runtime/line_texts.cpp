#include "runtime/line_texts.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// A person reads no longer lines: those are generated, or hostile.
constexpr size_t kLongestLine = 160;

std::optional<std::string> line_of(const std::vector<SourceText>& sources, const std::string& file,
                                   const Json& number) {
  if (!number.is_number_integer()) return std::nullopt;
  for (const SourceText& source : sources) {
    if (!is_named(file, source.name)) continue;
    const auto index = number.get<int64_t>() - source.first_line;
    const std::vector<std::string> lines = split(source.text, '\n');
    if (index < 0 || index >= static_cast<int64_t>(lines.size())) continue;
    return printable(trim(lines[static_cast<size_t>(index)]).substr(0, kLongestLine));
  }
  return std::nullopt;
}

}  // namespace

bool is_named(const std::string& file, const std::string& source) {
  return file == source || file.ends_with("/" + source);
}

std::vector<SourceText> source_texts(const UnitArtifacts& unit) {
  const auto first_line = [](const Position& origin) {
    return origin.known() && origin.line > 0 ? origin.line : int64_t{1};
  };
  if (unit.regions.empty()) return {{unit.name, unit.source, first_line(unit.origin)}};
  const std::vector<std::string> lines = split(unit.source, '\n');
  std::vector<SourceText> texts;
  auto region = unit.regions.begin();
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto number = static_cast<int64_t>(i) + 1;
    const bool begins = region != unit.regions.end() && region->line == number;
    if (begins && region->origin.known()) {
      texts.push_back({region->origin.file, "", first_line(region->origin)});
    } else if (begins || texts.empty()) {
      texts.push_back({unit.name, "", number});
    }
    if (begins) ++region;
    texts.back().text += lines[i] + (i + 1 < lines.size() ? "\n" : "");
  }
  return texts;
}

void add_line_texts(Json& json, const std::vector<SourceText>& sources) {
  if (json.is_array()) {
    for (Json& one : json) add_line_texts(one, sources);
  }
  if (!json.is_object()) return;
  for (auto& [name, member] : json.items()) add_line_texts(member, sources);
  const auto file = json.find("file");
  if (file == json.end() || !file->is_string()) return;
  const std::string name = *file;
  for (const auto& [line, text] :
       {std::pair{"line", "text"}, std::pair{"to", "to_text"}, std::pair{"other", "other_text"}}) {
    const auto number = json.find(line);
    if (number == json.end()) continue;
    if (auto found = line_of(sources, name, *number)) json[text] = *found;
  }
}

}  // namespace warpmark
