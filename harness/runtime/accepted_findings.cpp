#include "runtime/accepted_findings.hpp"

#include <algorithm>
#include <string>

#include "suite/suite.hpp"

namespace warpmark {

namespace {

std::string word_of(const nlohmann::ordered_json& report, const char* key) {
  const auto member = report.find(key);
  return member != report.end() && member->is_string() ? member->get<std::string>() : "";
}

}  // namespace

std::vector<nlohmann::ordered_json> without_allowed(const Plan& plan,
                                                    const std::vector<Suppression>& suppressions,
                                                    std::vector<nlohmann::ordered_json> reports,
                                                    Outcome& outcome) {
  std::erase_if(reports, [&](const nlohmann::ordered_json& report) {
    const ReportedMistake mistake = reported_mistake(report);
    if (std::ranges::find(finding_kinds(), mistake.kind) == finding_kinds().end()) return false;
    const Suppression* rule = find_suppression(suppressions, mistake);
    if (rule != nullptr) outcome.suppressed.push_back(rule->line);
    return rule != nullptr;
  });
  std::erase_if(reports, [&](const nlohmann::ordered_json& report) {
    if (!report.is_object() || word_of(report, "kind") != "race") return false;
    return std::ranges::any_of(plan.allow, [&](const AllowedRace& rule) {
      return rule.race == word_of(report, "argument") || rule.race == word_of(report, "name");
    });
  });
  return reports;
}

}  // namespace warpmark
