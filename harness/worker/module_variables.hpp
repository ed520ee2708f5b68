// The variables of loaded modules: what a kernel can leave in them for the launch after it.
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
/// they are not all known, as of a text that is not understood.
std::optional<std::vector<std::string>> variable_names(std::string_view ptx);

/// A module, and its variables, as variable_names() has them.
struct LoadedModule {
  Module module;
  std::optional<std::vector<std::string>> variables;
};

/// Where variables lie in the device's memory.
struct ModuleVariables {
  struct Range {
    CUdeviceptr begin = 0, end = 0;
  };
  /// What lies between variables that are next to each other is theirs, too: a kernel can write
  /// there.
  std::vector<Range> ranges;
  bool complete = true;  ///< no module has one elsewhere
};

/// Copies of variables on the device, of when they were made.
class KeptVariables {
 public:
  /// Throws DriverError.
  KeptVariables(std::shared_ptr<Context> context, ModuleVariables variables);
  /// The same variables as they are now.
  KeptVariables again() const { return {context_, variables_}; }

  /// Queues putting them back.
  void queue_back(const Stream& stream);
  bool complete() const { return variables_.complete; }
  const std::shared_ptr<Context>& context() const { return context_; }

 private:
  std::shared_ptr<Context> context_;
  ModuleVariables variables_;
  std::vector<DeviceMemory> copies_;  ///< of each range
};

/// Looks them up. Throws DriverError.
ModuleVariables find_variables(const std::vector<LoadedModule>& modules);

}  // namespace warpmark
