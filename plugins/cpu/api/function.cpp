// Functions: a kernel's attributes, parameters and module.
#include <algorithm>
#include <cstdint>

#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

namespace {

std::size_t side_of(unsigned int attribute) {
  return attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
}

// The size of the constant bank, which all kernels of a module share.
std::uint64_t constant_bytes(const Module& module) {
  std::uint64_t bytes = 0;
  for (const Variable& variable : module.variables) {
    if (variable.space != Space::constant || variable.external) continue;
    if (&module.variables[module.variable_by_name.at(variable.name)] != &variable) continue;
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 1);
    bytes = (bytes + alignment - 1) / alignment * alignment + variable.bytes;
  }
  return bytes;
}

CUresult set_cluster_attribute(Kernel& kernel, unsigned int attribute, int value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      if (kernel.function->cluster[0] != 0)
        return fail(CUDA_ERROR_NOT_PERMITTED, "the kernel was compiled for a size of clusters");
      if (value < 0) return CUDA_ERROR_INVALID_VALUE;
      kernel.set_cluster[side_of(attribute)] = static_cast<std::uint32_t>(value);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      if (value != 0 && value != 1) return CUDA_ERROR_INVALID_VALUE;
      kernel.non_portable_clusters = value != 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      if (value < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT ||
          value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
        return CUDA_ERROR_INVALID_VALUE;
      kernel.cluster_scheduling = value;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

Kernel* find_kernel(Context& context, CUfunction function) {
  if (Kernel* found = find_in(context.kernels, function)) return found;
  // Clients cast a CUkernel to a CUfunction, as cuda.h says they may.
  auto* kernel = find_in(driver().library_kernels, reinterpret_cast<CUkernel>(function));
  CUfunction own = nullptr;
  if (kernel == nullptr || kernel_in(context, *kernel, own) != CUDA_SUCCESS) return nullptr;
  return context.kernels.at(own);
}

CUresult get_attribute(const Kernel& kernel, unsigned int attribute, int* value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return give(value, static_cast<int>(most_threads(kernel)));
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return give(value, static_cast<int>(kernel.code->checked.shared_bytes));
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return give(value, static_cast<int>(kernel.code->checked.local_bytes));
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      // A usual number where nobody told what ptxas says; then registers have no cost.
      return give(value, kernel.registers != 0 ? static_cast<int>(kernel.registers) : 32);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return give(value, driver().properties.major * 10 + driver().properties.minor);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return give(value, static_cast<int>(kernel.max_dynamic_shared));
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return give(value, kernel.carveout);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return give(value, static_cast<int>(kernel.required_cluster()[side_of(attribute)]));
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return give(value, kernel.non_portable_clusters ? 1 : 0);
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return give(value, kernel.cluster_scheduling);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return give(value, static_cast<int>(constant_bytes(kernel.module->ptx())));
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return give(value, 0);
    default:
      return attribute >= CU_FUNC_ATTRIBUTE_MAX ? CUDA_ERROR_INVALID_VALUE : give(value, 0);
  }
}

CUresult set_attribute(Kernel& kernel, unsigned int attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
    kernel.carveout = value;
    return CUDA_SUCCESS;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return set_cluster_attribute(kernel, attribute, value);
  const std::int64_t most =
      std::int64_t{DeviceProperties::shared_per_block_optin} - kernel.code->checked.shared_bytes;
  if (value < 0 || value > most) return CUDA_ERROR_INVALID_VALUE;
  kernel.max_dynamic_shared = static_cast<std::uint32_t>(value);
  return CUDA_SUCCESS;
}

CUresult describe_parameter(const Kernel& kernel, std::size_t index, std::size_t* offset,
                            std::size_t* size) {
  const std::vector<Parameter>& all = kernel.function->parameters;
  if (offset == nullptr || index >= all.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = all[index].offset;
  if (size != nullptr) *size = all[index].bytes;
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return with_owner("cuFuncGetAttribute", Waits::no, function, [&](Context& context) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Kernel* kernel = find_kernel(context, function);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE
                             : get_attribute(*kernel, number_in(attribute), value);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return with_owner("cuFuncSetAttribute", Waits::no, function, [&](Context& context) -> CUresult {
    Kernel* kernel = find_kernel(context, function);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE
                             : set_attribute(*kernel, number_in(attribute), value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preferred) {
  return with_owner("cuFuncSetCacheConfig", Waits::no, function, [&](Context& context) -> CUresult {
    if (number_in(preferred) > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
    return find_kernel(context, function) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return with_owner("cuFuncGetModule", Waits::no, function, [&](Context& context) -> CUresult {
    const Kernel* kernel = find_kernel(context, function);
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE
                             : give(module, reinterpret_cast<CUmodule>(kernel->module));
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
  return with_owner("cuFuncGetParamInfo", Waits::no, function, [&](Context& context) -> CUresult {
    const Kernel* kernel = find_kernel(context, function);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE
                             : describe_parameter(*kernel, index, offset, size);
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return with_owner("cuFuncSetSharedMemConfig", Waits::no, function, [&](Context& context) {
    return find_kernel(context, function) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return with_owner("cuFuncGetName", Waits::no, function, [&](Context& context) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Kernel* kernel = find_kernel(context, function);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE
                             : give(name, kernel->code->checked.name.c_str());
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return with_owner("cuFuncIsLoaded", Waits::no, function, [&](Context& context) -> CUresult {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return find_kernel(context, function) == nullptr
               ? CUDA_ERROR_INVALID_HANDLE
               : give(state, CU_FUNCTION_LOADING_STATE_LOADED);
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return with_owner("cuFuncLoad", Waits::no, function, [&](Context& context) {
    return find_kernel(context, function) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

}  // extern "C"
