#include "worker/module_variables.hpp"

#include <algorithm>
#include <utility>

#include "compiler/ptx_contents.hpp"

namespace warpmark {

namespace {

// Variables of a module begin at multiples of it (seen on an H200, driver 580); what is nearer to
// the variable before is of the same pages.
constexpr CUdeviceptr kNear = 256;

}  // namespace

std::optional<std::vector<std::string>> variable_names(std::string_view ptx) {
  if (ptx.empty()) return std::nullopt;
  const PtxContents contents = ptx_contents(ptx);
  if (!contents.trouble.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const PtxVariable& variable : contents.variables) {
    const bool lasts = variable.space == PtxSpace::global || variable.space == PtxSpace::constant;
    if (lasts && !variable.external && variable.change != PtxChange::never)
      names.push_back(variable.name);
  }
  return names;
}

KeptVariables::KeptVariables(std::shared_ptr<Context> context, ModuleVariables variables)
    : context_(std::move(context)), variables_(std::move(variables)) {
  for (const auto& [begin, end] : variables_.ranges) {
    DeviceMemory& copy = copies_.emplace_back(context_, end - begin, "initial variables");
    copy.copy_from(DeviceMemory::view(context_, begin, end - begin, "variables"));
  }
}

void KeptVariables::queue_back(const Stream& stream) {
  for (size_t i = 0; i < copies_.size(); ++i) {
    const auto& [begin, end] = variables_.ranges[i];
    DeviceMemory now = DeviceMemory::view(context_, begin, end - begin, "variables");
    now.copy_from(copies_[i], stream);
  }
}

ModuleVariables find_variables(const std::vector<LoadedModule>& modules) {
  ModuleVariables found;
  std::vector<ModuleVariables::Range> places;
  for (const LoadedModule& one : modules) {
    found.complete = found.complete && one.variables.has_value();
    if (!one.variables) continue;
    for (const std::string& name : *one.variables) {
      const auto place = one.module.global(name);
      found.complete = found.complete && place.has_value();
      if (place && place->second > 0)
        places.push_back({place->first, place->first + place->second});
    }
  }
  std::ranges::sort(places, {}, &ModuleVariables::Range::begin);
  for (const auto& [begin, end] : places) {
    if (found.ranges.empty() || begin >= found.ranges.back().end + kNear) {
      found.ranges.push_back({begin, end});
    } else {
      found.ranges.back().end = std::max(found.ranges.back().end, end);
    }
  }
  return found;
}

}  // namespace warpmark
