#include "worker/device_drains.hpp"

#include <algorithm>
#include <string_view>

#include "base/json_text.hpp"

namespace warpmark {

namespace {

// Numbers of the context's launches and allocations depend on the cases that ran before.
void forget_order(nlohmann::ordered_json& value) {
  value.erase("launch");
  const auto allocation = value.find("allocation");
  if (allocation != value.end() && allocation->is_object()) allocation->erase("number");
}

}  // namespace

void DeviceDrains::collect_reports(const std::vector<const Context*>& contexts,
                                   std::optional<size_t> step) {
  for (const Context* context : contexts) {
    context->driver().drain_reports(context->handle(), [&](std::string_view line) {
      auto report = try_parse_ordered_json(line);
      if (!report.is_object()) return;
      forget_order(report);
      if (step) report["step"] = *step;
      reports_.push_back(std::move(report));
    });
  }
}

DeviceDrains::Texts DeviceDrains::drain_counters(const std::vector<const Context*>& contexts) {
  Texts launches;
  schedules_ = 0;
  coverage_.clear();
  const auto add = [&](std::string_view line) {
    auto launch = try_parse_ordered_json(line);
    if (!launch.is_object()) return;
    if (launch.contains("coverage")) {
      coverage_.push_back(std::move(launch));
      return;
    }
    forget_order(launch);
    const auto schedules = launch.find("schedules");
    if (schedules != launch.end()) {
      if (schedules->is_number_unsigned())
        schedules_ = std::max(schedules_, schedules->get<uint64_t>());
      launch.erase(schedules);
    }
    launches.push_back(std::move(launch));
  };
  for (const Context* context : contexts) {
    context->driver().drain_counters(context->handle(), add);
  }
  return launches;
}

}  // namespace warpmark
