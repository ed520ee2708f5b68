#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/page/html.hpp"
#include "report/problems/problem_files.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// The count of problems of each rule, in the order of their first ones.
Json kinds_of(const std::vector<Problem>& problems) {
  Json kinds = Json::array();
  for (size_t i = 0; i < problems.size(); ++i) {
    size_t count = 0;
    bool is_first = true;
    for (size_t k = 0; k < problems.size(); ++k) {
      if (problems[k].rule != problems[i].rule) continue;
      is_first = is_first && k >= i;
      ++count;
    }
    if (!is_first) continue;
    kinds.push_back({{"rule", problems[i].rule},
                     {"count", std::to_string(count)},
                     {"text", rule_text(problems[i].rule)},
                     {"number", std::to_string(i + 1)}});
  }
  return kinds;
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
                   {"text", problem.text}});
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
