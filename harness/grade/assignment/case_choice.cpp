#include "grade/assignment/case_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

std::shared_ptr<const Assignment> chosen_cases(const Assignment& assignment,
                                               const std::vector<std::string>& only, bool hidden) {
  auto kept = std::make_shared<Assignment>(assignment);
  std::vector<std::string> known;
  std::vector<std::string> missing = only;
  for (AssignmentCase& one : kept->cases) {
    if (!hidden && one.visibility == Visibility::hidden) {
      one.items.clear();
      continue;
    }
    known.push_back(one.name);
    const bool whole = std::erase(missing, one.name) > 0;
    for (const Case& which : one.items) known.push_back(which.id);
    if (only.empty() || whole || std::ranges::find(only, one.name) != only.end()) {
      continue;
    }
    const auto all = static_cast<double>(one.items.size());
    std::erase_if(one.items, [&](const Case& which) {
      std::erase(missing, which.id);
      return std::ranges::find(only, which.id) == only.end();
    });
    // Where items have shares, these are what the chosen ones give.
    if (one.credit == Credit::all && !one.performance) continue;
    const double share = static_cast<double>(one.items.size()) / all;
    one.points *= share;
    if (!one.performance) continue;
    for (PerformanceStep& step : one.performance->steps) step.points *= share;
  }
  if (!missing.empty()) {
    const std::string near = nearest(missing.front(), known);
    throw usage_error(
        fmt::format("the assignment has no {}case `{}`", hidden ? "" : "visible ",
                    printable(missing.front())),
        {}, near.empty() ? "its cases: " + join(known, ", ") : "did you mean `" + near + "`?");
  }
  std::erase_if(kept->cases, [](const AssignmentCase& one) { return one.items.empty(); });
  if (kept->cases.empty()) throw usage_error("the assignment has no visible case to try");
  return kept;
}

}  // namespace warpmark
