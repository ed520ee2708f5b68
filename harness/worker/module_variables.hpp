// The variables of loaded modules, in which a kernel can leave values for the next launch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/kernel.hpp"
#include "driver/memory.hpp"

namespace warpmark {

/// The names of the global and constant variables of a PTX text that kernels may change; nothing if
/// they are not all known, for example in a text that is not understood.
std::optional<std::vector<std::string>> variable_names(std::string_view ptx);

/// A module with its variables, as from variable_names().
struct LoadedModule {
  Module module;
  std::optional<std::vector<std::string>> variables;
};

/// The places of variables in the device's memory.
struct ModuleVariables {
  struct Range {
    CUdeviceptr begin = 0, end = 0;
  };
  /// The ranges include the bytes between neighbouring variables, since a kernel can write there.
  std::vector<Range> ranges;
  bool complete = true;  ///< all variables of all modules are in the ranges
};

/// Copies of variables on the device, with their values at construction.
class KeptVariables {
 public:
  /// Throws DriverError.
  KeptVariables(std::shared_ptr<Context> context, ModuleVariables variables);
  /// New copies of the same variables with their present values.
  KeptVariables again() const { return {context_, variables_}; }

  /// Queues restoring the values.
  void queue_back(const Stream& stream);
  bool complete() const { return variables_.complete; }
  const std::shared_ptr<Context>& context() const { return context_; }

 private:
  std::shared_ptr<Context> context_;
  ModuleVariables variables_;
  std::vector<DeviceMemory> copies_;  ///< copies of each range
};

/// Looks up the variables. Throws DriverError.
ModuleVariables find_variables(const std::vector<LoadedModule>& modules);

}  // namespace warpmark
