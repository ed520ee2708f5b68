// Kernels' attributes and occupancy.
#include "api.hpp"
#include "launch.hpp"
#include "registry.hpp"

namespace warpmark::cudart::api {
namespace {

template <typename Body>
cudaError_t with_function(const void* name, Body body) {
  CUfunction function = nullptr;
  const cudaError_t result = find_function(name, function);
  return result != cudaSuccess ? result : error_of(body(function));
}

template <typename Number>
CUresult get(CUfunction function, CUfunction_attribute attribute, Number& into) {
  int value = 0;
  const CUresult result = driver().cuFuncGetAttribute(&value, attribute, function);
  into = static_cast<Number>(value);
  return result;
}

// Attributes that a driver before CUDA 11.8 does not know stay 0.
void get_cluster_attributes(CUfunction function, cudaFuncAttributes& all) {
  get(function, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, all.clusterDimMustBeSet);
  get(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, all.requiredClusterWidth);
  get(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, all.requiredClusterHeight);
  get(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, all.requiredClusterDepth);
  get(function, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
      all.clusterSchedulingPolicyPreference);
  get(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
      all.nonPortableClusterSizeAllowed);
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* name) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  return with_function(name, [&](CUfunction function) {
    cudaFuncAttributes all{};
    CUresult result = get(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, all.sharedSizeBytes);
    get(function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, all.constSizeBytes);
    get(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, all.localSizeBytes);
    get(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, all.maxThreadsPerBlock);
    get(function, CU_FUNC_ATTRIBUTE_NUM_REGS, all.numRegs);
    get(function, CU_FUNC_ATTRIBUTE_PTX_VERSION, all.ptxVersion);
    get(function, CU_FUNC_ATTRIBUTE_BINARY_VERSION, all.binaryVersion);
    get(function, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, all.cacheModeCA);
    get(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, all.maxDynamicSharedSizeBytes);
    get(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, all.preferredShmemCarveout);
    get_cluster_attributes(function, all);
    if (result == CUDA_SUCCESS) *attributes = all;
    return result;
  });
}

// Banks of shared memory have one size since compute capability 5.0.
cudaError_t cudaFuncSetSharedMemConfig(const void* name, cudaSharedMemConfig) {
  return with_function(name, [](CUfunction) { return CUDA_SUCCESS; });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  CUkernel found = nullptr;
  const cudaError_t result = find_kernel(kernel, found);
  if (result != cudaSuccess) return result;
  return error_of(driver().cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value,
                                                found, device));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* name,
                                                          int block_size, size_t shared) {
  return api::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, name, block_size,
                                                                     shared, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* name,
                                                 const cudaLaunchConfig_t* config) {
  if (config == nullptr) return cudaErrorInvalidValue;
  return with_function(name, [&](CUfunction function) {
    const CUlaunchConfig made = launch_config(*config);
    return driver().cuOccupancyMaxPotentialClusterSize(size, function, &made);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* name,
                                           const cudaLaunchConfig_t* config) {
  if (config == nullptr) return cudaErrorInvalidValue;
  return with_function(name, [&](CUfunction function) {
    const CUlaunchConfig made = launch_config(*config);
    return driver().cuOccupancyMaxActiveClusters(clusters, function, &made);
  });
}

}  // namespace warpmark::cudart::api
