// Modules and functions.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "api/jit.hpp"
#include "api/state.hpp"
#include "ptx/error.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
CUresult read_options(unsigned int count, CUjit_option* options, void** values, JitLogs& logs) {
  if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < count; ++i) {
    // Integers are passed in the pointer itself.
    const auto size = static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(values[i]));
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        logs.info = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        logs.info_bytes = size;
        logs.info_bytes_written = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        logs.error = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        logs.error_bytes = size;
        logs.error_bytes_written = &values[i];
        break;
      default:
        break;
    }
  }
  return CUDA_SUCCESS;
}

namespace {

void write_log(char* buffer, std::size_t bytes, void** written, std::string_view text) {
  std::size_t count = 0;
  if (buffer != nullptr && bytes > 0) {
    count = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), count);
    buffer[count] = '\0';
    if (count > 0) ++count;
  }
  if (written != nullptr) *written = reinterpret_cast<void*>(count);
}

}  // namespace

void JitLogs::write(std::string_view error_text, std::string_view info_text) const {
  write_log(error, error_bytes, error_bytes_written, error_text);
  write_log(info, info_bytes, info_bytes_written, info_text);
}

namespace {

// Allocates and initialises the variables of a module.
CUresult place_variables(Context& context, LoadedModule& module) {
  for (const Variable& variable : module.ptx.variables) {
    if (variable.space == Space::shared) continue;
    const Variable& chosen = module.ptx.variables[module.ptx.variable_by_name.at(variable.name)];
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
    const std::uint64_t address = context.arena.allocate(bytes);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    module.addresses[variable.name] = address;
    if (!variable.initial.empty()) {
      std::memcpy(context.arena.host(address), variable.initial.data(),
                  std::min<std::uint64_t>(variable.initial.size(), variable.bytes));
    }
    Allocation* allocation = context.arena.find(address);
    allocation->label = variable.name;
    allocation->read_only = variable.space == Space::constant;
    allocation->label_address = address;
    allocation->label_bytes = variable.bytes;
  }
  for (const Variable& variable : module.ptx.variables) {
    if (variable.space == Space::shared ||
        &module.ptx.variables[module.ptx.variable_by_name.at(variable.name)] != &variable)
      continue;
    for (const Variable::Reference& reference : variable.references) {
      const auto target = module.addresses.find(reference.symbol);
      std::uint64_t value = 0;
      if (target != module.addresses.end()) {
        value = target->second + static_cast<std::uint64_t>(reference.addend);
      } else if (const auto function = module.ptx.function_by_name.find(reference.symbol);
                 function != module.ptx.function_by_name.end()) {
        value = context.arena.code_window() + (function->second + 1) * Placement::kFunctionStride;
      } else {
        return fail(CUDA_ERROR_INVALID_PTX, "line " + std::to_string(variable.line) + ": '" +
                                                std::string(reference.symbol) +
                                                "' is not declared");
      }
      std::memcpy(context.arena.host(module.addresses[variable.name]) + reference.offset, &value,
                  sizeof value);
    }
  }
  return CUDA_SUCCESS;
}

void release_variables(Context& context, LoadedModule& module) {
  for (const auto& [name, address] : module.addresses) context.arena.free(address);
  module.addresses.clear();
}

CUresult load(Context& context, CUmodule* result, std::string text, const JitLogs& logs) {
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto module = std::make_unique<LoadedModule>();
  module->context = &context;
  CUresult outcome = CUDA_SUCCESS;
  try {
    module->ptx = parse_ptx(std::move(text));
    outcome = place_variables(context, *module);
  } catch (const PtxError& error) {
    outcome = fail(error.unsupported() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_PTX,
                   std::string("PTX ") + error.what());
  }
  if (outcome != CUDA_SUCCESS) release_variables(context, *module);
  logs.write(outcome == CUDA_SUCCESS ? "" : last_error(), "");
  if (outcome != CUDA_SUCCESS) return outcome;
  *result = reinterpret_cast<CUmodule>(module.get());
  context.modules.emplace(*result, std::move(module));
  return CUDA_SUCCESS;
}

CUresult load_image(Context& context, CUmodule* result, const void* image, const JitLogs& logs) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  unsigned char magic[4];
  std::memcpy(magic, image, 1);
  if (magic[0] == 0x7f || magic[0] == 0x50) {
    std::memcpy(magic, image, 4);
    const bool elf = std::memcmp(magic,
                                 "\x7f"
                                 "ELF",
                                 4) == 0;
    const bool fatbin = std::memcmp(magic, "\x50\xed\x55\xba", 4) == 0;
    if (elf || fatbin) {
      const std::string text = std::string(elf ? "a cubin" : "a fatbin") +
                               " holds code for a GPU; this device executes PTX text";
      logs.write(text, "");
      return fail(CUDA_ERROR_NO_BINARY_FOR_GPU, text);
    }
  }
  return load(context, result, static_cast<const char*>(image), logs);
}

Kernel* find_kernel(Context& context, CUfunction function) {
  const auto found = context.kernels.find(function);
  return found == context.kernels.end() ? nullptr : found->second;
}

CUresult make_kernel(Context& context, LoadedModule& module, const Function& function,
                     CUfunction* result) {
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
  auto kernel = std::make_unique<Kernel>();
  try {
    kernel->checked = decode(module.ptx, function, placement);
  } catch (const PtxError& error) {
    return fail(error.unsupported() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_PTX,
                std::string("PTX ") + error.what());
  }
  kernel->contained = kernel->checked;
  bind(kernel->checked, handlers(true));
  bind(kernel->contained, handlers(false));
  kernel->module = &module;
  kernel->function = &function;
  *result = reinterpret_cast<CUfunction>(kernel.get());
  context.kernels.emplace(*result, kernel.get());
  module.kernels.emplace(function.name, std::move(kernel));
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  return with_context("cuModuleLoadDataEx", Waits::no, [&](Context& context) -> CUresult {
    JitLogs logs;
    const CUresult result = read_options(count, options, values, logs);
    return result != CUDA_SUCCESS ? result : load_image(context, module, image, logs);
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return with_context("cuModuleLoadData", Waits::no,
                      [&](Context& context) { return load_image(context, module, image, {}); });
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return with_context("cuModuleLoad", Waits::no, [&](Context& context) -> CUresult {
    if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(CUDA_ERROR_FILE_NOT_FOUND, std::string("cannot open ") + path);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    return load_image(context, module, text.c_str(), {});
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return with_context("cuModuleUnload", Waits::yes, [&](Context& context) -> CUresult {
    const auto found = context.modules.find(module);
    if (found == context.modules.end()) return CUDA_ERROR_INVALID_HANDLE;
    for (const auto& [name, kernel] : found->second->kernels) {
      context.kernels.erase(reinterpret_cast<CUfunction>(kernel.get()));
    }
    release_variables(context, *found->second);
    context.modules.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return with_context("cuModuleGetFunction", Waits::no, [&](Context& context) -> CUresult {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = context.modules.find(module);
    if (found == context.modules.end()) return CUDA_ERROR_INVALID_HANDLE;
    LoadedModule& loaded = *found->second;
    if (const auto known = loaded.kernels.find(name); known != loaded.kernels.end()) {
      *function = reinterpret_cast<CUfunction>(known->second.get());
      return CUDA_SUCCESS;
    }
    const auto index = loaded.ptx.function_by_name.find(name);
    if (index == loaded.ptx.function_by_name.end() || !loaded.ptx.functions[index->second].entry) {
      return fail(CUDA_ERROR_NOT_FOUND, "the module has no kernel '" + std::string(name) + "'");
    }
    return make_kernel(context, loaded, loaded.ptx.functions[index->second], function);
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module,
                              const char* name) {
  return with_context("cuModuleGetGlobal", Waits::no, [&](Context& context) -> CUresult {
    if (name == nullptr || (address == nullptr && bytes == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    const auto found = context.modules.find(module);
    if (found == context.modules.end()) return CUDA_ERROR_INVALID_HANDLE;
    const auto variable = found->second->addresses.find(name);
    if (variable == found->second->addresses.end()) {
      return fail(CUDA_ERROR_NOT_FOUND, "the module has no variable '" + std::string(name) + "'");
    }
    if (address != nullptr) *address = variable->second;
    if (bytes != nullptr) *bytes = context.arena.find(variable->second)->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return with_context("cuFuncGetAttribute", Waits::no, [&](Context& context) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Kernel* kernel = find_kernel(context, function);
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const std::uint32_t limit = kernel->function->max_threads;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = static_cast<int>(limit == 0 ? DeviceProperties::max_threads
                                             : std::min(limit, DeviceProperties::max_threads));
        break;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(kernel->checked.shared_bytes);
        break;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(kernel->checked.local_bytes);
        break;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        break;  // registers have no cost here
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = driver().properties.major * 10 + driver().properties.minor;
        break;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = static_cast<int>(kernel->max_dynamic_shared);
        break;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = -1;
        break;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        break;
      default:
        if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
        *value = 0;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return with_context("cuFuncSetAttribute", Waits::no, [&](Context& context) -> CUresult {
    Kernel* kernel = find_kernel(context, function);
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
      return CUDA_ERROR_INVALID_VALUE;
    const std::int64_t most =
        std::int64_t{DeviceProperties::shared_per_block_optin} - kernel->checked.shared_bytes;
    if (value < 0 || value > most) return CUDA_ERROR_INVALID_VALUE;
    kernel->max_dynamic_shared = static_cast<std::uint32_t>(value);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return with_context("cuFuncSetCacheConfig", Waits::no, [&](Context& context) {
    return find_kernel(context, function) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return with_context("cuFuncGetModule", Waits::no, [&](Context& context) -> CUresult {
    const Kernel* kernel = find_kernel(context, function);
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *module = reinterpret_cast<CUmodule>(kernel->module);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
  return with_context("cuFuncGetParamInfo", Waits::no, [&](Context& context) -> CUresult {
    const Kernel* kernel = find_kernel(context, function);
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (offset == nullptr || index >= kernel->function->parameters.size())
      return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel->function->parameters[index].offset;
    if (size != nullptr) *size = kernel->function->parameters[index].bytes;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
