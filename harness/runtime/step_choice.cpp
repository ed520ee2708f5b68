#include "runtime/step_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "runtime/step_names.hpp"

namespace warpmark {

bool has_step(const Plan& plan, const std::string& name) {
  const std::vector<std::string> names = step_names(plan);
  return std::ranges::find(names, name) != names.end();
}

void require_step(const std::string& name, const std::vector<const Plan*>& plans) {
  std::vector<std::string> known;
  for (const Plan* plan : plans) {
    for (std::string& one : step_names(*plan)) {
      if (std::ranges::find(known, one) == known.end()) {
        known.push_back(std::move(one));
      }
    }
  }
  if (known.empty() || std::ranges::find(known, name) != known.end()) return;
  const std::string near = nearest(name, known);
  throw usage_error(
      fmt::format("unknown step `{}`; there are: {}", printable(name), join(known, ", ")), {},
      near.empty() ? "" : fmt::format("did you mean `{}`?", near));
}

void end_after_step(PlannedCase& planned, const std::string& name) {
  Plan& plan = planned.plan;
  const auto last = std::find_if(plan.steps.rbegin(), plan.steps.rend(), [&](const Step& step) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    return launch != nullptr && step_name(*launch) == name;
  });
  if (last == plan.steps.rend() || last == plan.steps.rbegin()) return;
  const auto left_out = static_cast<size_t>(std::distance(plan.steps.rbegin(), last));
  plan.steps.erase(last.base(), plan.steps.end());
  plan.expected.clear();
  plan.checks.clear();
  plan.counters.clear();
  plan.composites = {};
  plan.timed_step.reset();
  planned.baseline.reset();
  planned.smaller.reset();
  planned.cut = fmt::format(
      "no finding up to the step `{}`; --step leaves out {} after it, so no result was judged",
      name, left_out == 1 ? "the one" : fmt::format("the {}", left_out));
}

}  // namespace warpmark
