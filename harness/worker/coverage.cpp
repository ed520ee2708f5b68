#include "worker/coverage.hpp"

#include <algorithm>

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

void increase(uint64_t& sum, uint64_t by) {
  if (__builtin_add_overflow(sum, by, &sum)) sum = UINT64_MAX;
}

const Json& elements(const Json& record, const char* name) {
  static const Json kNone = Json::array();
  const auto found = record.find(name);
  return found != record.end() && found->is_array() ? *found : kNone;
}

uint64_t number(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

int64_t line_number(const Json& object, const char* name) {
  return static_cast<int64_t>(std::min<uint64_t>(number(object, name), INT32_MAX));
}

std::string text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void add(Coverage::Line& to, const Coverage::Line& from) {
  increase(to.count, from.count);
  for (const auto& [target, count] : from.branches) increase(to.branches[target], count);
}

void add(std::map<std::string, Coverage::Function>& to, const std::string& name,
         const Coverage::Function& from) {
  Coverage::Function& one = to.try_emplace(name, Coverage::Function{from.line, 0}).first->second;
  one.line = std::min(one.line, from.line);
  increase(one.count, from.count);
}

}  // namespace

void Coverage::add(const Coverage& other) {
  for (const auto& [name, file] : other.files) {
    File& own = files[name];
    for (const auto& [line, counts] : file.lines) warpmark::add(own.lines[line], counts);
    for (const auto& [function, counts] : file.functions)
      warpmark::add(own.functions, function, counts);
  }
  for (const auto& [name, lines] : other.left_out)
    left_out[name].insert(lines.begin(), lines.end());
  without_lines.insert(other.without_lines.begin(), other.without_lines.end());
}

void Coverage::add(const Json& record) {
  if (!record.is_object()) return;
  for (const Json& one : elements(record, "coverage")) {
    if (!one.is_object()) continue;
    const std::string file = text(one, "file");
    const int64_t line = line_number(one, "line");
    if (file.empty() || line == 0) continue;
    Line counts{number(one, "count"), {}};
    for (const Json& branch : elements(one, "branches")) {
      if (branch.is_object())
        increase(counts.branches[line_number(branch, "to")], number(branch, "count"));
    }
    warpmark::add(files[file].lines[line], counts);
  }
  for (const Json& one : elements(record, "functions")) {
    if (!one.is_object()) continue;
    const std::string file = text(one, "file"), name = text(one, "name");
    if (file.empty() || name.empty()) continue;
    warpmark::add(files[file].functions, name, {line_number(one, "line"), number(one, "count")});
  }
  for (const Json& one : elements(record, "left_out")) {
    if (!one.is_object()) continue;
    for (const Json& line : elements(one, "lines")) {
      if (line.is_number_unsigned()) left_out[text(one, "file")].insert(line.get<int64_t>());
    }
  }
  for (const Json& kernel : elements(record, "without_lines")) {
    if (kernel.is_string()) without_lines.insert(kernel.get<std::string>());
  }
}

Json Coverage::json() const {
  Json lines = Json::array(), functions = Json::array(), others = Json::array();
  for (const auto& [name, file] : files) {
    for (const auto& [number, counts] : file.lines) {
      Json line = {{"file", name}, {"line", number}, {"count", counts.count}};
      for (const auto& [to, count] : counts.branches)
        line["branches"].push_back({{"to", to}, {"count", count}});
      lines.push_back(std::move(line));
    }
    for (const auto& [function, counts] : file.functions) {
      functions.push_back(
          {{"name", function}, {"file", name}, {"line", counts.line}, {"count", counts.count}});
    }
  }
  for (const auto& [name, numbers] : left_out)
    others.push_back({{"file", name}, {"lines", numbers}});
  return {{"coverage", std::move(lines)},
          {"functions", std::move(functions)},
          {"left_out", std::move(others)},
          {"without_lines", without_lines}};
}

}  // namespace warpmark
