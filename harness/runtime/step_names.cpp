#include "runtime/step_names.hpp"

#include <fmt/format.h>

namespace warpmark {

namespace {

std::string title_of(const Step& step) {
  if (const auto* launch = std::get_if<LaunchStep>(&step)) return launch->title();
  if (const auto* copy = std::get_if<CopyStep>(&step)) {
    return fmt::format("the copy from `{}` to `{}`", copy->from, copy->to);
  }
  return fmt::format("the fill of `{}`", std::get<FillStep>(step).buffer);
}

}  // namespace

std::string step_title(const Plan& plan, std::optional<size_t> step) {
  if (!step || *step >= plan.steps.size() || plan.steps.size() == 1) return "";
  return fmt::format("step {}, {}", *step + 1, title_of(plan.steps[*step]));
}

void name_steps(const Plan& plan, std::vector<nlohmann::ordered_json>& reports) {
  for (nlohmann::ordered_json& report : reports) {
    const auto step = report.find("step");
    if (step == report.end()) continue;
    const std::string title =
        step->is_number_unsigned() ? step_title(plan, step->get<size_t>()) : std::string();
    if (title.empty()) {
      report.erase("step");
      continue;
    }
    *step = title;
    const auto message = report.find("message");
    if (message == report.end() || !message->is_string()) continue;
    *message = title + ": " + message->get<std::string>();
  }
}

void name_steps(const Plan& plan, protocol::Failure& failure) {
  name_steps(plan, failure.reports);
  const std::string title = step_title(plan, failure.step);
  if (!title.empty()) failure.message = title + ": " + failure.message;
}

void name_launches(const Plan& plan, std::vector<nlohmann::ordered_json>& launches) {
  if (plan.steps.size() == 1) return;
  size_t next = 0;
  for (size_t i = 0; i < plan.steps.size() && next < launches.size(); ++i) {
    if (!std::holds_alternative<LaunchStep>(plan.steps[i])) continue;
    launches[next++]["step"] = step_title(plan, i);
  }
}

}  // namespace warpmark
