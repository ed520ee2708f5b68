// Launches that kernels asked for, once the grid that asked has ended.
#include <cstdint>
#include <string>

#include "api/mistake.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

// The most grids that one launch may lead to.
constexpr std::uint64_t kMostLaunches = 1 << 20;

// Fails the launch like a failing grid: the next call that waits returns the error.
CUresult lost(Context& context, const std::string& why) {
  last_error() = why;
  (void)report_refusal(context, "cudaLaunchDeviceV2", CUDA_ERROR_INVALID_VALUE);
  context.pending = CUDA_ERROR_LAUNCH_FAILED;
  return CUDA_SUCCESS;
}

CUresult perform(Context& context, LoadedModule& module, const DeviceLaunch& launch,
                 Nesting& nesting) {
  if (++nesting.launches > kMostLaunches)
    return lost(context, "kernels launched more than " + std::to_string(kMostLaunches) + " others");
  CUfunction function = nullptr;
  CUresult result =
      make_kernel(context, module, module.ptx().functions[launch.function], &function);
  if (result == CUDA_SUCCESS) {
    KernelWork work(function, launch.grid, launch.block, launch.shared);
    work.parameters = launch.parameters;
    ++nesting.depth;
    result = run_kernel(context, work, nesting);
    --nesting.depth;
  }
  return result == CUDA_SUCCESS ? CUDA_SUCCESS : lost(context, std::string(last_error()));
}

}  // namespace

CUresult perform_device_launches(Context& context, LoadedModule& module,
                                 const std::vector<DeviceLaunch>& launches, Nesting& nesting) {
  for (const bool tail : {false, true}) {
    for (const DeviceLaunch& launch : launches) {
      if (launch.tail != tail) continue;
      const CUresult result = perform(context, module, launch, nesting);
      if (result != CUDA_SUCCESS || context.pending != CUDA_SUCCESS) return result;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu
