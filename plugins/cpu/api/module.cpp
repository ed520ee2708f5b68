// Modules: what they are loaded from, their variables and their kernels.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/capture.hpp"
#include "api/jit.hpp"
#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/target.hpp"
#include "program/source_place.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {
namespace {

// Allocates and initialises the variables of a module.
CUresult place_variables(Context& context, LoadedModule& module) {
  for (const Variable& variable : module.ptx().variables) {
    if (variable.space == Space::shared) continue;
    const Variable& chosen =
        module.ptx().variables[module.ptx().variable_by_name.at(variable.name)];
    if (&chosen != &variable)
      continue;  // a declaration, or a weak definition that another replaces
    if (variable.external) {
      return fail(CUDA_ERROR_INVALID_PTX,
                  "line " + std::to_string(variable.line) + ": variable '" +
                      std::string(variable.name) +
                      "' is external, and this module is linked with no other");
    }
    // Constant memory has 64 KiB; the rest is bounded by the device's memory.
    const std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes, 1);
    const std::uint64_t address = context.arena.allocate(
        bytes, variable.managed ? Arena::Kind::managed : Arena::Kind::device);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (variable.managed) context.managed[address][0] = {};
    module.addresses[variable.name] = address;
    if (!variable.initial.empty()) {
      std::memcpy(context.arena.host(address), variable.initial.data(),
                  std::min<std::uint64_t>(variable.initial.size(), variable.bytes));
    }
    Allocation* allocation = context.arena.find(address);
    allocation->init = nullptr;  // what has no initialiser is zero
    allocation->label = variable_name(variable.name);
    allocation->read_only = allocation->constant = variable.space == Space::constant;
    allocation->label_address = address;
    allocation->label_bytes = variable.bytes;
  }
  for (const Variable& variable : module.ptx().variables) {
    if (variable.space == Space::shared ||
        &module.ptx().variables[module.ptx().variable_by_name.at(variable.name)] != &variable)
      continue;
    for (const Variable::Reference& reference : variable.references) {
      const auto target = module.addresses.find(reference.symbol);
      std::uint64_t value = 0;
      if (target != module.addresses.end()) {
        value = target->second + static_cast<std::uint64_t>(reference.addend);
      } else if (const auto function = module.ptx().function_by_name.find(reference.symbol);
                 function != module.ptx().function_by_name.end()) {
        value = context.arena.code_window() + (function->second + 1) * Placement::kFunctionStride;
      } else {
        return fail(CUDA_ERROR_INVALID_PTX, "line " + std::to_string(variable.line) + ": '" +
                                                std::string(reference.symbol) +
                                                "' is not declared");
      }
      value >>= reference.shift;
      std::memcpy(context.arena.host(module.addresses[variable.name]) + reference.offset, &value,
                  reference.bytes);
    }
  }
  return CUDA_SUCCESS;
}

void release_variables(Context& context, LoadedModule& module) {
  for (const auto& [name, address] : module.addresses) {
    context.managed.erase(address);
    forget_references(context.images, address);
    context.arena.free(address);
  }
  module.addresses.clear();
}

// `bytes` is how much may be read, if that is known.
CUresult load_image(Context& context, CUmodule* result, const void* image, const std::size_t* bytes,
                    const JitLogs& logs) {
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::string text;
  CUresult outcome = text_of_image(image, bytes, text);
  if (outcome != CUDA_SUCCESS) {
    logs.write(last_error(), "");
    return outcome;
  }
  LoadedModule* module = nullptr;
  outcome = refuse_unsafe(context);
  if (outcome == CUDA_SUCCESS) outcome = load_text(context, &module, std::move(text), logs);
  if (outcome == CUDA_SUCCESS) *result = reinterpret_cast<CUmodule>(module);
  return outcome;
}

const Function* find_entry(const LoadedModule& module, std::string_view name) {
  const auto index = module.ptx().function_by_name.find(name);
  if (index == module.ptx().function_by_name.end()) return nullptr;
  const Function& function = module.ptx().functions[index->second];
  return function.entry ? &function : nullptr;
}

// Where a module's kernels find what they name.
Placement placement_of(const Context& context, const LoadedModule& module) {
  Placement placement;
  placement.variable = [&module](std::string_view name) {
    const auto found = module.addresses.find(name);
    return found == module.addresses.end() ? std::uint64_t{0} : found->second;
  };
  placement.shared_window = context.arena.shared_window();
  placement.local_window = context.arena.local_window();
  placement.param_window = context.arena.param_window();
  placement.code_window = context.arena.code_window();
  if (const auto limit = context.limits.find(CU_LIMIT_STACK_SIZE); limit != context.limits.end()) {
    placement.stack_bytes = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(limit->second, placement.stack_bytes, 256 << 10));
  }
  return placement;
}

}  // namespace

CUresult load_text(Context& context, LoadedModule** result, std::string text, const JitLogs& logs) {
  auto module = std::make_unique<LoadedModule>();
  module->context = &context;
  CUresult outcome = refuse_target(text);
  if (outcome != CUDA_SUCCESS) {
    logs.write(last_error(), "");
    return outcome;
  }
  if (asks_ptxas()) module->source = text;
  try {
    module->text = driver().texts.get(std::move(text));
    outcome = place_variables(context, *module);
    if (outcome == CUDA_SUCCESS) module->text->check(placement_of(context, *module));
  } catch (const PtxError& error) {
    outcome = refuse_ptx(error);
  }
  if (outcome != CUDA_SUCCESS) release_variables(context, *module);
  logs.write(outcome == CUDA_SUCCESS ? "" : last_error(), "");
  if (outcome != CUDA_SUCCESS) return outcome;
  *result = module.get();
  context.modules.emplace(reinterpret_cast<CUmodule>(module.get()), std::move(module));
  return CUDA_SUCCESS;
}

void unload(Context& context, LoadedModule& module) {
  for (const auto& [name, kernel] : module.kernels)
    context.kernels.erase(reinterpret_cast<CUfunction>(kernel.get()));
  release_variables(context, module);
  context.modules.erase(reinterpret_cast<CUmodule>(&module));
}

namespace {

// Code for one architecture alone is compiled for that, and other code for the device's.
std::uint32_t registers_of(LoadedModule& module, std::string_view kernel) {
  if (!module.source.empty()) {
    std::string target(module.ptx().target);
    if (target.empty() || target.back() <= '9')
      target = "sm_" + std::to_string(driver().properties.major * 10 + driver().properties.minor);
    module.registers = registers_by_ptxas(module.source, target);
    module.source.clear();
  }
  const std::uint32_t* const told = find_in(module.registers, kernel);
  return told == nullptr ? 0 : *told;
}

}  // namespace

CUresult make_kernel(Context& context, LoadedModule& module, const Function& function,
                     CUfunction* result) {
  if (Kernel* known = find_in(module.kernels, function.name))
    return give(result, reinterpret_cast<CUfunction>(known));
  auto kernel = std::make_unique<Kernel>();
  try {
    kernel->code = module.text->code(function, placement_of(context, module));
  } catch (const PtxError& error) {
    return refuse_ptx(error);
  }
  kernel->module = &module;
  kernel->function = &function;
  const auto* const told = find_in(context.registers, function.name);
  kernel->registers = told != nullptr ? *told : registers_of(module, function.name);
  *result = reinterpret_cast<CUfunction>(kernel.get());
  context.kernels.emplace(*result, kernel.get());
  module.kernels.emplace(function.name, std::move(kernel));
  return CUDA_SUCCESS;
}

CUresult find_variable(Context& context, const LoadedModule& module, std::string_view name,
                       CUdeviceptr* address, std::size_t* bytes) {
  const auto variable = module.addresses.find(name);
  const auto* const index = find_in(module.ptx().variable_by_name, name);
  const bool image = index != nullptr && module.ptx().variables[*index].image;
  if (variable == module.addresses.end() || image) {
    if (find_entry(module, name) != nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "'" + std::string(name) + "' is a kernel");
    return fail(CUDA_ERROR_NOT_FOUND, "the module has no variable '" + std::string(name) + "'");
  }
  if (address != nullptr) *address = variable->second;
  if (bytes != nullptr) *bytes = context.arena.find(variable->second)->bytes;
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  return with_context("cuModuleLoadDataEx", Waits::no, [&](Context& context) -> CUresult {
    JitLogs logs;
    const CUresult result = read_options(count, options, values, logs);
    if (result != CUDA_SUCCESS) return result;
    return report_refused_image("cuModuleLoadDataEx",
                                load_image(context, module, image, nullptr, logs));
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return with_context("cuModuleLoadData", Waits::no, [&](Context& context) {
    return report_refused_image("cuModuleLoadData",
                                load_image(context, module, image, nullptr, {}));
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return with_context("cuModuleLoadFatBinary", Waits::no, [&](Context& context) {
    return report_refused_image("cuModuleLoadFatBinary",
                                load_image(context, module, image, nullptr, {}));
  });
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return with_context("cuModuleLoad", Waits::no, [&](Context& context) -> CUresult {
    if (path == nullptr || module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::string bytes;
    if (const CUresult result = read_file(path, bytes); result != CUDA_SUCCESS) return result;
    const std::size_t size = bytes.size();
    return report_refused_image("cuModuleLoad",
                                load_image(context, module, bytes.c_str(), &size, {}));
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return with_owner("cuModuleUnload", Waits::yes, module, [&](Context& context) -> CUresult {
    LoadedModule* found = find_in(context.modules, module);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (found->of_library) return CUDA_ERROR_NOT_PERMITTED;
    unload(context, *found);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return initialised("cuModuleGetLoadingMode",
                     [&]() { return give(mode, CU_MODULE_LAZY_LOADING); });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return with_owner("cuModuleGetFunction", Waits::no, module, [&](Context& context) -> CUresult {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    LoadedModule* found = find_in(context.modules, module);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const Function* entry = find_entry(*found, name);
    if (entry == nullptr) {
      return fail(CUDA_ERROR_NOT_FOUND, "the module has no kernel '" + std::string(name) + "'");
    }
    return report_refused_image("cuModuleGetFunction",
                                make_kernel(context, *found, *entry, function));
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule module) {
  return with_owner(
      "cuModuleGetFunctionCount", Waits::no, module, [&](Context& context) -> CUresult {
        if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
        LoadedModule* found = find_in(context.modules, module);
        if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        const std::vector<Function>& all = found->ptx().functions;
        *count = static_cast<unsigned int>(
            std::ranges::count_if(all, [](const Function& each) { return each.entry; }));
        return CUDA_SUCCESS;
      });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule module) {
  return with_owner("cuModuleEnumerateFunctions", Waits::no, module,
                    [&](Context& context) -> CUresult {
                      if (functions == nullptr) return CUDA_ERROR_INVALID_VALUE;
                      LoadedModule* found = find_in(context.modules, module);
                      if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
                      for (const Function& each : found->ptx().functions) {
                        if (!each.entry) continue;
                        if (count-- == 0) break;
                        const CUresult result = make_kernel(context, *found, each, functions++);
                        if (result != CUDA_SUCCESS) return result;
                      }
                      return CUDA_SUCCESS;
                    });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module,
                              const char* name) {
  return with_owner("cuModuleGetGlobal", Waits::no, module, [&](Context& context) -> CUresult {
    if (name == nullptr || (address == nullptr && bytes == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    LoadedModule* found = find_in(context.modules, module);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return find_variable(context, *found, name, address, bytes);
  });
}

}  // extern "C"
