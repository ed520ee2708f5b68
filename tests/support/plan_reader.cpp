#include "support/plan_reader.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "plan/plan_json.hpp"

namespace warpmark {
namespace {

ArithmeticValue read_axis_value(const PlanValue& value) {
  const nlohmann::ordered_json& json = value.json();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return value.integer(std::numeric_limits<int64_t>::min(), PlanValue::kMost);
}

void read_counted(const PlanValue& value, Plan& plan) {
  value.members({"counters", "parallel", "coalesced", "conflict_free", "tiled", "work_efficient"});
  if (const auto counters = value.find("counters")) {
    for (const PlanValue& one : counters->list()) {
      one.members({"name", "comparison", "bound"});
      const PlanValue comparison = one.get("comparison");
      if (std::set<std::string>{"==", "!=", "<=", ">=", "<", ">"}.count(comparison.text()) == 0) {
        comparison.fail("must be a comparison");
      }
      plan.counters.push_back({one.get("name").nonempty(), one.get("comparison").nonempty(),
                               read_amount(one.get("bound"))});
    }
  }
  const auto asked = [&](const char* name) {
    const auto flag = value.find(name);
    if (flag && !flag->json().is_boolean()) flag->fail("must be true or false");
    return flag && flag->json().get<bool>();
  };
  PlanComposites& composites = plan.composites;
  composites.parallel = asked("parallel");
  composites.coalesced = asked("coalesced");
  composites.conflict_free = asked("conflict_free");
  composites.tiled = read_amount(value.find("tiled"));
  composites.work_efficient = read_amount(value.find("work_efficient"));
  if (plan.counters.empty() && !composites.any()) value.fail("expects nothing");
}

void read_expect(const PlanValue& value, Plan& plan) {
  if (value.json().is_string()) {
    if (value.text() != "pass") value.fail("must be \"pass\" or an object");
    return;
  }
  if (const auto text = value.find("compile_error")) {
    value.members({"compile_error"});
    plan.compile_error = CompileError{text->text()};
    return;
  }
  if (!value.find("fault") && !value.find("report")) {
    read_counted(value, plan);
    return;
  }
  const std::string argument = value.optional_text("argument");
  if (const auto fault = value.find("fault")) {
    value.members({"fault", "argument"});
    plan.fault = Fault{fault->nonempty(), argument};
    return;
  }
  value.members({"report", "argument"});
  const PlanValue report = value.get("report");
  plan.report =
      Reports{report.json().is_array() ? report.texts() : std::vector{report.nonempty()}, argument};
}

PlanLimits read_limits(const std::optional<PlanValue>& value) {
  PlanLimits limits;
  if (!value) return limits;
  value->members({"timeout_s", "memory_mib", "instructions", "stack_bytes", "heap_mib"});
  if (const auto timeout = value->find("timeout_s")) {
    if (!timeout->json().is_number()) timeout->fail("must be a number");
    limits.timeout_s = timeout->json().get<double>();
    if (!(*limits.timeout_s > 0)) timeout->fail("must be more than 0");
  }
  const auto count = [&](const char* key) -> std::optional<int64_t> {
    const auto limit = value->find(key);
    if (!limit) return std::nullopt;
    return limit->integer(1, PlanValue::kMost);
  };
  limits.memory_mib = count("memory_mib");
  limits.instructions = count("instructions");
  limits.stack_bytes = count("stack_bytes");
  limits.heap_mib = count("heap_mib");
  return limits;
}

PlannedSkip read_skip(const PlanValue& value) {
  value.members({"when", "reason"});
  const PlanValue when = value.get("when");
  PlannedSkip skip;
  if (when.json().is_boolean()) {
    skip.when = when.json().get<bool>();
  } else {
    skip.when = read_symbolic(when);
  }
  skip.reason = value.get("reason").text();
  return skip;
}

}  // namespace

Plan plan_from_json(const nlohmann::ordered_json& json) {
  const PlanValue value(json, "");
  value.members({"warpmark", "suite",    "case",  "point",   "units",      "buffers",
                 "scalars",  "accesses", "steps", "swaps",   "renamed",    "devices",
                 "expected", "checks",   "bytes", "flops",   "expect",     "limits",
                 "arch",     "requires", "skip",  "restore", "timed_step", "peak_flops_per_s",
                 "types"});
  value.get("warpmark").integer(1, 1);
  Plan plan;
  plan.suite = value.get("suite").nonempty();
  plan.case_id = value.get("case").nonempty();
  for (const PlanValue& axis : value.get("point").list()) {
    axis.members({"name", "value"});
    plan.point.push_back({axis.get("name").nonempty(), read_axis_value(axis.get("value"))});
  }
  read_plan_body(value, plan);
  read_expect(value.get("expect"), plan);
  plan.limits = read_limits(value.find("limits"));
  if (const auto arch = value.find("arch")) plan.arch = arch->nonempty();
  plan.requirements = value.get("requires").texts();
  for (const PlanValue& rule : value.get("skip").list()) plan.skip.push_back(read_skip(rule));
  plan.restore =
      value.get("restore").word<Restore>({Restore::never, Restore::batch, Restore::each});
  if (const auto types = value.find("types")) {
    for (const PlanValue& type : types->list()) {
      type.members({"name", "dtype"});
      plan.types.push_back(
          {type.get("name").nonempty(), *find_dtype(type.get("dtype").nonempty())});
    }
  }
  if (const auto step = value.find("timed_step")) {
    plan.timed_step = static_cast<size_t>(step->integer(0, PlanValue::kMost));
  }
  plan.peak_flops_per_s = read_amount(value.find("peak_flops_per_s"));
  return plan;
}

}  // namespace warpmark
