// The entry points that launch kernels.
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

CUresult launch(const char* name, KernelWork work, CUstream stream, void** parameters,
                void** extra) {
  return with_owner_reports(name, Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = prepare_kernel(context, work, parameters, extra);
    return result != CUDA_SUCCESS ? result : submit(context, stream, std::move(work));
  });
}

// Applies an attribute of cuLaunchKernelEx. Hints are accepted and have no effect.
CUresult apply(const CUlaunchAttribute& attribute, KernelWork& work) {
  switch (number_in(attribute.id)) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      work.cooperative = attribute.value.cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      work.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                      attribute.value.clusterDim.z};
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return CUDA_SUCCESS;
    default:
      return fail(
          CUDA_ERROR_NOT_SUPPORTED,
          "launch attribute " + std::to_string(number_in(attribute.id)) + " is not supported");
  }
}

CUresult apply_attributes(const CUlaunchConfig& config, KernelWork& work) {
  if (config.numAttrs != 0 && config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < config.numAttrs; ++i) {
    const CUresult result = apply(config.attrs[i], work);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream,
                        void** parameters, void** extra) {
  return launch("cuLaunchKernel",
                {function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared}, stream,
                parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void** parameters) {
  KernelWork work(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared);
  work.cooperative = true;
  return launch("cuLaunchCooperativeKernel", std::move(work), stream, parameters, nullptr);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work(function, {config->gridDimX, config->gridDimY, config->gridDimZ},
                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                  config->sharedMemBytes);
  const CUresult result = apply_attributes(*config, work);
  if (result != CUDA_SUCCESS) return result;
  return launch("cuLaunchKernelEx", std::move(work), config->hStream, parameters, extra);
}

}  // extern "C"
