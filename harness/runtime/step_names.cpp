#include "runtime/step_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warpmark {

namespace {

std::string title_of(const Step& step) {
  if (const auto* launch = std::get_if<LaunchStep>(&step)) return launch->title();
  if (const auto* copy = std::get_if<CopyStep>(&step)) {
    return fmt::format("the copy from `{}` to `{}`", copy->from, copy->to);
  }
  return fmt::format("the fill of `{}`", std::get<FillStep>(step).buffer);
}

std::string named_step(const nlohmann::ordered_json& launch) {
  const auto name = launch.is_object() ? launch.find("step_name") : launch.end();
  if (!launch.is_object() || name == launch.end() || !name->is_string()) return "";
  return name->get<std::string>();
}

// The name of a step's launch in a plan of several steps.
std::string launch_name(const Plan& plan, size_t step) {
  if (plan.steps.size() < 2 || step >= plan.steps.size()) return "";
  const auto* launch = std::get_if<LaunchStep>(&plan.steps[step]);
  return launch == nullptr ? "" : step_name(*launch);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

const std::string& step_name(const LaunchStep& launch) {
  return launch.name.empty() ? launch.entry : launch.name;
}

std::string step_title(const Plan& plan, std::optional<size_t> step) {
  if (!step || *step >= plan.steps.size() || plan.steps.size() == 1) return "";
  return fmt::format("step {}, {}", *step + 1, title_of(plan.steps[*step]));
}

std::string name_steps(const Plan& plan, std::vector<nlohmann::ordered_json>& reports) {
  std::string first;
  for (nlohmann::ordered_json& report : reports) {
    const auto step = report.find("step");
    if (step == report.end()) continue;
    const auto index =
        step->is_number_unsigned() ? std::optional(step->get<size_t>()) : std::nullopt;
    const std::string title = step_title(plan, index);
    if (first.empty() && index) first = launch_name(plan, *index);
    if (title.empty()) {
      report.erase("step");
      continue;
    }
    *step = title;
    const auto message = report.find("message");
    if (message == report.end() || !message->is_string()) continue;
    *message = title + ": " + message->get<std::string>();
  }
  return first;
}

std::string name_steps(const Plan& plan, protocol::Failure& failure) {
  const std::string first = name_steps(plan, failure.reports);
  const std::string title = step_title(plan, failure.step);
  if (!title.empty()) failure.message = title + ": " + failure.message;
  return failure.step ? launch_name(plan, *failure.step) : first;
}

void name_launches(const Plan& plan, std::vector<nlohmann::ordered_json>& launches) {
  if (plan.steps.size() == 1) return;
  size_t next = 0;
  for (size_t i = 0; i < plan.steps.size() && next < launches.size(); ++i) {
    if (!std::holds_alternative<LaunchStep>(plan.steps[i])) continue;
    nlohmann::ordered_json& counters = launches[next++];
    if (!counters.is_object()) continue;
    counters["step"] = step_title(plan, i);
    counters["step_name"] = step_name(std::get<LaunchStep>(plan.steps[i]));
  }
}

std::vector<std::string> step_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const Step& step : plan.steps) {
    if (const auto* launch = std::get_if<LaunchStep>(&step)) add_once(names, step_name(*launch));
  }
  return names;
}

std::vector<std::string> step_names(const std::vector<nlohmann::ordered_json>& launches) {
  std::vector<std::string> names;
  for (const nlohmann::ordered_json& launch : launches) {
    if (const std::string name = named_step(launch); !name.empty()) add_once(names, name);
  }
  return names;
}

std::vector<nlohmann::ordered_json> launches_of_step(
    const std::vector<nlohmann::ordered_json>& launches, const std::string& name) {
  std::vector<nlohmann::ordered_json> found;
  std::ranges::copy_if(
      launches, std::back_inserter(found),
      [&](const nlohmann::ordered_json& launch) { return named_step(launch) == name; });
  return found;
}

}  // namespace warpmark
