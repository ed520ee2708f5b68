#include "results/counted_lines.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/includes.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

// A text of the sources in lines.
struct SourceLines {
  const SourceText* source;
  std::vector<std::string> lines;
};

// The source that has the line, of that file or of one that the compiler put a folder before.
const SourceText* source_of(const std::vector<SourceLines>& sources, const std::string& file,
                            int64_t number, std::string& text) {
  for (const SourceLines& one : sources) {
    if (!is_named(file, one.source->name)) continue;
    const int64_t index = number - one.source->first_line;
    if (index < 0 || index >= static_cast<int64_t>(one.lines.size())) continue;
    text = trim(one.lines[static_cast<size_t>(index)]);
    return one.source;
  }
  return nullptr;
}

void add(CounterSums& to, const std::string& name, int64_t value) {
  const auto known = std::ranges::find_if(to, [&](const auto& one) { return one.first == name; });
  int64_t& sum = known == to.end() ? to.emplace_back(name, 0).second : known->second;
  if (__builtin_add_overflow(sum, value, &sum)) sum = INT64_MAX;
}

}  // namespace

LineCounters line_counters(const std::vector<nlohmann::ordered_json>& launches) {
  LineCounters lines;
  for (const nlohmann::ordered_json& launch : launches) {
    const auto all = launch.is_object() ? launch.find("lines") : launch.end();
    if (!launch.is_object() || all == launch.end() || !all->is_array()) continue;
    for (const nlohmann::ordered_json& line : *all) {
      if (!line.is_object() || !line.contains("file") || !line["file"].is_string() ||
          !line.contains("line") || !line["line"].is_number_integer())
        continue;
      CounterSums& counters = lines[line["file"].get<std::string>()][line["line"].get<int64_t>()];
      for (const auto& [name, value] : line.items()) {
        if (name == "line" || !value.is_number_integer() || value.get<int64_t>() < 0) continue;
        add(counters, name, value.get<int64_t>());
      }
    }
  }
  return lines;
}

std::vector<SourceText> header_texts(const Plan& plan, const std::filesystem::path& folder) {
  std::vector<SourceText> texts;
  for (const Unit& unit : plan.units) {
    IncludeSearch search;
    search.folder = folder;
    for (const std::string& one : unit.include) search.folders.push_back(folder / one);
    const std::string text = unit.file.empty() ? unit.source : read_file(folder / unit.file);
    for (const Header& header : resolve_includes(text, unit.file, search).headers) {
      if (header.path.empty()) continue;
      // The text is read from the file: the compiler's may have an additional line.
      const std::filesystem::path file = folder / header.path;
      const std::string whole = read_file(file);
      texts.push_back({header.path, whole, 1, file});
      if (header.path != header.spelling) texts.push_back({header.spelling, whole, 1, file});
    }
  }
  return texts;
}

std::vector<CountedLine> counted_lines(const std::vector<Json>& launches,
                                       const std::vector<SourceText>& sources,
                                       const std::vector<std::string>& names) {
  std::vector<SourceLines> texts;
  for (const SourceText& source : sources) texts.push_back({&source, split(source.text, '\n')});
  std::vector<CountedLine> lines;
  for (const auto& [file, numbers] : line_counters(launches)) {
    for (const auto& [number, counters] : numbers) {
      CountedLine line;
      line.number = number;
      const SourceText* source = source_of(texts, file, number, line.text);
      // Where the toolkit lies is each machine's own affair.
      line.file = source != nullptr ? source->name : file.substr(file.rfind('/') + 1);
      for (const std::string& name : names) {
        if (const int64_t value = counter_value(counters, name); value != 0)
          line.counters.emplace_back(name, value);
      }
      if (!line.counters.empty()) lines.push_back(std::move(line));
    }
  }
  std::ranges::stable_sort(lines, [](const CountedLine& a, const CountedLine& b) {
    return a.file != b.file ? a.file < b.file : a.number < b.number;
  });
  return lines;
}

}  // namespace warpmark
