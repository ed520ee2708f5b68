#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/page/html.hpp"
#include "report/problems/problem_files.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// The count of problems of each rule, in the order of their first ones.
Json kinds_of(const std::vector<Problem>& problems) {
  struct Kind {
    std::string rule;
    size_t first = 0, count = 0;
  };
  std::vector<Kind> kinds;
  for (size_t i = 0; i < problems.size(); ++i) {
    const std::string& rule = problems[i].rule;
    auto known = std::ranges::find(kinds, rule, &Kind::rule);
    if (known == kinds.end()) known = kinds.insert(known, {rule, i});
    ++known->count;
  }
  Json values = Json::array();
  for (const Kind& kind : kinds) {
    values.push_back({{"rule", kind.rule},
                      {"count", std::to_string(kind.count)},
                      {"text", rule_text(kind.rule)},
                      {"number", std::to_string(kind.first + 1)}});
  }
  return values;
}

}  // namespace

std::string problems_page(const std::vector<Problem>& problems, const ProblemRun& run) {
  Json all = Json::array();
  for (size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    const std::string place = problem.where.known()
                                  ? Position{name_in_checkout(problem.where.file),
                                             problem.where.line, problem.where.column}
                                        .text()
                                  : "";
    all.push_back({{"number", std::to_string(i + 1)},
                   {"rule", problem.rule},
                   {"warning", problem.is_warning},
                   {"title", problem.title},
                   {"place", place},
                   {"text", problem.text},
                   {"pictures", picture_values(problem.pictures)}});
  }
  const std::string found = problems.empty() ? "No problems" : counted(problems.size(), "problem");
  return html_page("report/problems/problems",
                   {{"title", found + " of warpmark " + run.verb},
                    {"found", found},
                    {"command", run.command},
                    {"device", run.device},
                    {"date", run.date},
                    {"sum", run.sum},
                    {"error", run.ended ? run.error : "The run did not come to its end."},
                    {"kinds", problems.size() > 1 ? kinds_of(problems) : Json::array()},
                    {"problems", std::move(all)}});
}

}  // namespace warpmark
