#include "grade/class/expected_grades.hpp"

#include <fmt/format.h>

#include <map>

namespace warpmark {

namespace {

// Without what no two runs or machines have in common.
nlohmann::json comparable(const GradeResult& result) {
  nlohmann::json json = to_json(result);
  json.erase("seconds");
  json.erase("key");  // what decides whether a result is reused: of the options, too
  json.at("context").erase("date");
  json.at("context").erase("warpmark");  // said apart, if anything else differs
  json.at("context").erase("sandbox");   // "landlock abi 6" is the system's
  for (nlohmann::json& one : json.at("cases")) {
    for (nlohmann::json& item : one.at("items")) item.erase("seconds");
  }
  return json;
}

std::string value_at(const nlohmann::json& json, const nlohmann::json::json_pointer& place) {
  constexpr size_t kMost = 60;
  if (!json.contains(place)) return "nothing";
  std::string text = json.at(place).dump(-1, ' ', true);
  if (text.size() > kMost) text = text.substr(0, kMost) + "…";
  return text;
}

// The first difference and how many more there are; "" if there is none.
std::string difference(const GradeResult& expected, const GradeResult& result) {
  const nlohmann::json before = comparable(expected);
  const nlohmann::json after = comparable(result);
  const nlohmann::json differences = nlohmann::json::diff(before, after);
  if (differences.empty()) return "";
  const auto path = differences.front().at("path").get<std::string>();
  const nlohmann::json::json_pointer place(path);
  std::string text =
      fmt::format("{}: {} instead of {}", path, value_at(after, place), value_at(before, place));
  const size_t more = differences.size() - 1;
  if (more > 0) text += fmt::format(", and {} more difference{}", more, more == 1 ? "" : "s");
  if (expected.context.warpmark == result.context.warpmark) return text;
  return fmt::format("{} (by Warpmark {} instead of {}, which may be why)", text,
                     result.context.warpmark, expected.context.warpmark);
}

}  // namespace

std::vector<UnexpectedGrade> unexpected_grades(const std::vector<GradeResult>& expected,
                                               const std::vector<GradeResult>& results,
                                               bool whole) {
  std::map<std::string, const GradeResult*> before;
  for (const GradeResult& one : expected) before[one.student] = &one;
  std::vector<UnexpectedGrade> found;
  for (const GradeResult& one : results) {
    const auto known = before.find(one.student);
    if (known == before.end()) {
      if (whole) found.push_back({one.student, "had no result"});
      continue;
    }
    const std::string what = difference(*known->second, one);
    if (!what.empty()) found.push_back({one.student, what});
    before.erase(known);
  }
  if (!whole) return found;
  for (const auto& [student, unused] : before) found.push_back({student, "has no result now"});
  return found;
}

}  // namespace warpmark
