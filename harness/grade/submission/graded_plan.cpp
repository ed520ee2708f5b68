#include "grade/submission/graded_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "compiler/ptx_contents.hpp"
#include "warpmark/processors.hpp"

namespace warpmark {

namespace {

std::string c_type(const std::optional<DType>& dtype) {
  return dtype ? std::string(dtype->c_name) : "";
}

PlannedCase with_text(PlannedCase planned, const std::string& name, const SubmittedFile& file) {
  Unit& unit = planned.plan.units.at(submitted_unit(planned));
  unit.file = name;
  unit.source = file.text;
  unit.image = is_ptx(file.text) ? "ptx" : "";
  if (!unit.image.empty()) unit.compiler.clear();
  // A file in Python is nothing but code for the CPU, which runs in a process of its own.
  unit.may_have_host_code = file.may_have_host_code || !unit.compiler.empty();
  for (const OwnHeader& header : file.headers) {
    unit.headers.push_back({header.spelling, header.name, header.text});
  }
  unit.regions.clear();
  return planned;
}

// The same change to the plans that a case is held against.
template <typename Change>
void change_companions(PlannedCase& planned, const Change& change) {
  for (auto* companion : {&planned.baseline, &planned.smaller}) {
    if (*companion == nullptr) continue;
    PlannedCase changed = **companion;
    change(changed);
    *companion = std::make_shared<const PlannedCase>(std::move(changed));
  }
}

}  // namespace

double least_net() {
  constexpr double kSeconds = 60;
  return kSeconds * slowness();
}

std::shared_ptr<const Assignment> with_time_for(std::shared_ptr<const Assignment> assignment,
                                                double slowness) {
  if (slowness <= 1) return assignment;
  auto slow = std::make_shared<Assignment>(*assignment);
  GradeLimits& limits = slow->limits;
  limits.timeout_s *= slowness;
  limits.total_s *= slowness;
  limits.compile_s *= slowness;
  return slow;
}

void set_limits(PlannedCase& planned, const GradeLimits& limits) {
  PlanLimits& own = planned.plan.limits;
  if (!own.instructions) own.instructions = static_cast<int64_t>(limits.instructions);
  if (!own.timeout_s) own.timeout_s = limits.timeout_s;
  if (!own.memory_mib) own.memory_mib = static_cast<int64_t>(limits.memory_mib);
  change_companions(planned, [&](PlannedCase& other) { set_limits(other, limits); });
}

bool is_limited_by_own(const PlannedCase& planned, const GradeLimits& limits) {
  return !planned.plan.limits.instructions && !limits.gives_instructions;
}

void limit_instructions(PlannedCase& planned, uint64_t most) {
  planned.plan.limits.instructions = static_cast<int64_t>(most);
  if (planned.smaller == nullptr) return;
  PlannedCase smaller = *planned.smaller;
  limit_instructions(smaller, most);
  planned.smaller = std::make_shared<const PlannedCase>(std::move(smaller));
}

PlannedCase unmeasured(PlannedCase planned) {
  planned.plan.composites = {};
  planned.plan.counters.clear();
  planned.baseline = nullptr;
  planned.smaller = nullptr;
  planned.compares_counters = false;
  planned.counted.clear();
  return planned;
}

void widen_net(PlannedCase& planned) {
  std::optional<double>& seconds = planned.plan.limits.timeout_s;
  seconds = std::max(seconds.value_or(0), least_net());
  change_companions(planned, [](PlannedCase& other) { widen_net(other); });
}

void compare_counters(PlannedCase& planned) {
  planned.compares_counters = true;
  change_companions(planned, [](PlannedCase& other) { compare_counters(other); });
}

bool has_open_dtypes(const Plan& plan) {
  for (const Buffer& buffer : plan.buffers) {
    if (!buffer.dtype) return true;
  }
  for (const Scalar& scalar : plan.scalars) {
    if (!scalar.dtype && !scalar.tensor_map) return true;
  }
  return false;
}

void fix_types(PlannedCase& planned, const ArgumentTypes& types) {
  const auto fix = [&](auto& argument) {
    const auto found = types.dtypes.find(argument.name);
    if (!argument.dtype && found != types.dtypes.end()) argument.dtype = found->second;
  };
  for (Buffer& buffer : planned.plan.buffers) fix(buffer);
  for (Scalar& scalar : planned.plan.scalars) {
    fix(scalar);
    const auto count = types.counts.find(scalar.name);
    if (count != types.counts.end()) scalar.count = count->second;
  }
  change_companions(planned, [&](PlannedCase& other) { fix_types(other, types); });
}

std::string signature_text(const Plan& plan) {
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    std::vector<std::string> parameters;
    for (const std::string& name : launch->arguments) {
      if (const Buffer* buffer = plan.find_buffer(name)) {
        const bool read_only = buffer->direction == ArgumentKind::in;
        parameters.push_back((read_only ? "const " : "") + c_type(buffer->dtype) + " *" + name);
      } else if (const Scalar* scalar = plan.find_scalar(name)) {
        parameters.push_back(
            (scalar->tensor_map ? "const __grid_constant__ CUtensorMap" : c_type(scalar->dtype)) +
            " " + name);
      }
    }
    return launch->entry + "(" + join(parameters, ", ") + ")";
  }
  return "";
}

size_t submitted_unit(const PlannedCase& planned) {
  // Steps may have files of the course beside the one that is handed in.
  const std::vector<Unit>& units = planned.plan.units;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].at == "/kernel/file" || units[i].at == "/kernel/source") return i;
  }
  std::optional<size_t> unit;
  for (const Step& step : planned.plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    if (unit && *unit != launch->unit) {
      throw usage_error("a case that launches kernels of several units cannot be graded",
                        planned.positions.find(launch->at));
    }
    unit = launch->unit;
  }
  if (!unit) {
    throw usage_error("a case that launches no kernel cannot be graded",
                      planned.positions.find(""));
  }
  return *unit;
}

std::shared_ptr<const PlannedCase> own_baseline(const PlannedCase& planned) {
  const bool holds_against = planned.plan.composites.any() || planned.compares_counters;
  if (!holds_against || planned.baseline != nullptr || !planned.counted.empty()) return nullptr;
  auto own = std::make_shared<PlannedCase>(planned);
  own->plan.counters.clear();
  own->smaller = nullptr;
  return own;
}

PlannedCase with_submission(PlannedCase planned, const std::string& name,
                            const SubmittedFile& file) {
  for (Scalar& scalar : planned.plan.scalars) scalar.count = scalar.count.value_or(1);
  // The course's own solution is what the submission's counters are measured against.
  if (auto own = own_baseline(planned)) planned.baseline = std::move(own);
  if (planned.smaller != nullptr) {
    planned.smaller = std::make_shared<const PlannedCase>(with_text(*planned.smaller, name, file));
  }
  return with_text(std::move(planned), name, file);
}

}  // namespace warpmark
