#include "runtime/accepted_findings.hpp"

#include <algorithm>

#include "suite/suite.hpp"

namespace warpmark {

std::vector<nlohmann::ordered_json> without_allowed(const Plan& plan,
                                                    const std::vector<Suppression>& suppressions,
                                                    std::vector<nlohmann::ordered_json> reports,
                                                    Outcome& outcome) {
  std::erase_if(reports, [&](const nlohmann::ordered_json& report) {
    const ReportedMistake mistake = reported_mistake(report);
    if (std::ranges::find(finding_kinds(), mistake.kind) == finding_kinds().end()) return false;
    if (const Suppression* rule = find_suppression(suppressions, mistake)) {
      outcome.suppressed.push_back(rule->line);
      return true;
    }
    return mistake.kind == "race" && std::ranges::any_of(plan.allow, [&](const AllowedRace& rule) {
             return rule.race == mistake.argument || rule.race == mistake.name;
           });
  });
  return reports;
}

}  // namespace warpmark
