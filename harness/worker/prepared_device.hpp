// A device with the kernels of a case loaded.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "driver/context.hpp"
#include "driver/kernel.hpp"
#include "worker/module_variables.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// A device with the kernels of a case.
struct PreparedDevice {
  std::shared_ptr<Context> context;
  std::vector<Function> kernels;
  std::optional<Module> main_module;  ///< module of the first kernel: variables are looked up here
  std::vector<LoadedModule> modules = {};
};

/// Loads the images of a case, and links those that belong together. Throws RefusedError with the
/// linker's log, and DriverError.
PreparedDevice load_on(std::shared_ptr<Context> context, const protocol::Load& request);

/// True if kernels may use the device's heap, which only a new context clears.
bool uses_heap(const protocol::Load& loaded);

}  // namespace warpmark
