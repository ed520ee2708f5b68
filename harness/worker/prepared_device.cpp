#include "worker/prepared_device.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "driver/linker.hpp"
#include "worker/unit_compiler.hpp"

namespace warpmark {

namespace {

Module load_unit(const std::shared_ptr<Context>& context,
                 const std::vector<protocol::Load::Unit>& units, size_t index) {
  const protocol::Load::Unit& unit = units[index];
  if (unit.link.empty()) return {context, unit.image, unit.name};
  Linker linker(context);
  std::vector<std::string> names{unit.name};
  for (const size_t other : unit.link) names.push_back(units.at(other).name);
  try {
    linker.add(unit.image, unit.name);
    for (const size_t other : unit.link) linker.add(units[other].image, units[other].name);
    return {context, linker.complete(), join(names, " + ")};
  } catch (const DriverError& error) {
    const std::string log = linker.log();
    if (error.sticky() || log.empty()) throw;
    throw RefusedError(join(names, ", ") + " do not link", log, {});
  }
}

// The variables of a unit, including those of the units linked with it.
std::optional<std::vector<std::string>> variables_of(const std::vector<protocol::Load::Unit>& units,
                                                     size_t index) {
  auto names = units[index].variables;
  for (const size_t other : units[index].link) {
    const auto& more = units.at(other).variables;
    if (!names || !more) return std::nullopt;
    names->insert(names->end(), more->begin(), more->end());
  }
  return names;
}

// A device that runs PTX does not know what ptxas would make of it.
void tell_registers(const Context& context, const protocol::KernelName& kernel) {
  const Device& device = context.device();
  if (!device.has(Capability::image_ptx) || !device.has(Capability::profile)) return;
  constexpr uint64_t kMost = 255;  // a log that says more is none of ptxas
  const nlohmann::json options = {
      {"registers", {{kernel.entry, kernel.registers <= kMost ? kernel.registers : 0}}}};
  context.driver().configure(context.handle(), json_line(options));
}

}  // namespace

PreparedDevice load_on(std::shared_ptr<Context> context, const protocol::Load& request) {
  const std::vector<bool> linked = linked_units(request.units);
  std::map<size_t, Module> modules;
  for (size_t i = 0; i < request.units.size(); ++i) {
    if (!linked[i]) modules.emplace(i, load_unit(context, request.units, i));
  }
  PreparedDevice loaded{std::move(context), {}, {}};
  for (const protocol::KernelName& kernel : request.kernels) {
    tell_registers(*loaded.context, kernel);
    loaded.kernels.push_back(modules.at(kernel.unit).function(kernel.entry));
  }
  if (!request.kernels.empty()) {
    loaded.main_module = modules.at(request.kernels.front().unit);
  }
  for (const auto& [unit, module] : modules)
    loaded.modules.push_back({module, variables_of(request.units, unit)});
  return loaded;
}

// Symbol names are readable in cubins, too.
bool uses_heap(const protocol::Load& loaded) {
  return std::ranges::any_of(loaded.units, [](const protocol::Load::Unit& unit) {
    return unit.image.find("malloc") != std::string::npos;
  });
}

}  // namespace warpmark
