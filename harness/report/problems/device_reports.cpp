#include "report/problems/device_reports.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "report/pictures/pictures.hpp"
#include "report/run/failure_cause.hpp"

namespace warpmark {

namespace {

std::string text_of(const nlohmann::json& report, const char* key) {
  const auto member = report.find(key);
  return member != report.end() && member->is_string() ? member->get<std::string>() : "";
}

Position place_of(const nlohmann::json& report) {
  const auto line = report.find("line");
  const bool has_line = line != report.end() && line->is_number_integer();
  return {text_of(report, "file"), has_line ? std::max(line->get<int>(), 0) : 0, 0};
}

Problem problem_of_report(const nlohmann::json& report) {
  Problem problem;
  problem.is_warning = text_of(report, "severity") == "warning";
  const std::string name = text_of(report, "name");
  problem.rule = name.empty() ? text_of(report, "kind") : name;
  problem.where = place_of(report);
  const std::string kernel = text_of(report, "kernel");
  problem.title = kernel.empty() ? text_of(report, "call") : kernel;
  if (problem.title.empty()) problem.title = problem.rule;
  problem.text = text_of(report, "message");
  if (auto picture = race_picture(report)) problem.pictures.push_back(std::move(*picture));
  problem.identity = problem.title + " " + without_numbers(problem.text);
  return problem;
}

}  // namespace

std::vector<Problem> read_device_reports(const std::filesystem::path& file) {
  std::vector<Problem> problems;
  int number = 0;
  for (const std::string& line : split(read_file(file), '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const nlohmann::json report = try_parse_json(line);
    if (!report.is_object() || text_of(report, "kind").empty()) {
      throw usage_error("the line is no report of the CPU device", {display_path(file), number, 0},
                        "`warpmark-cpu --report FILE.jsonl` writes such files");
    }
    Problem problem = problem_of_report(report);
    // Each launch reports anew.
    const bool known = std::ranges::any_of(problems, [&](const Problem& other) {
      return other.rule == problem.rule && other.where == problem.where &&
             other.identity == problem.identity;
    });
    if (!known) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace warpmark
