#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "report/problems/problem_files.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

// A word of GitLab's five. A result that is wrong now and then is as grave as one that always is.
const char* severity_of(const Problem& problem) {
  return problem.is_warning ? "minor" : "critical";
}

}  // namespace

std::string code_quality_text(const std::vector<Problem>& problems) {
  nlohmann::ordered_json issues = nlohmann::ordered_json::array();
  const std::vector<std::string> prints = fingerprints(problems);
  for (size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    // GitLab takes no issue without a file.
    const std::string path =
        problem.where.known()
            ? std::filesystem::path(name_in_checkout(problem.where.file)).lexically_normal()
            : ".";
    issues.push_back(
        {{"description", printable(problem.title + ": " + problem.text)},
         {"check_name", problem.rule},
         {"fingerprint", prints[i]},
         {"severity", severity_of(problem)},
         {"location", {{"path", path}, {"lines", {{"begin", std::max(problem.where.line, 1)}}}}}});
  }
  return json_document(strict_json(issues));
}

}  // namespace warpmark
