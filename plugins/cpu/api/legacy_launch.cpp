// Launches as CUDA 3 had them: shape and parameters are set on the function beforehand.
#include <cstring>

#include "api/mistake.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

// A kernel's parameters take at most this much (sm_70 and later, CUDA 12.1).
constexpr std::size_t kMostParameters = 32764;

template <typename Body>
CUresult with_kernel(const char* name, CUfunction function, Body body) {
  return with_owner(name, Waits::no, function, [&](Context& context) -> CUresult {
    Kernel* kernel = find_kernel(context, function);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(context, *kernel);
  });
}

CUresult set_parameter(CUfunction function, int offset, const void* value, std::size_t bytes) {
  return with_kernel("cuParamSetv", function, [&](Context&, Kernel& kernel) -> CUresult {
    if (offset < 0 || value == nullptr || bytes > kMostParameters ||
        static_cast<std::size_t>(offset) > kMostParameters - bytes)
      return CUDA_ERROR_INVALID_VALUE;
    const auto at = static_cast<std::size_t>(offset);
    if (kernel.parameters.size() < at + bytes) kernel.parameters.resize(at + bytes);
    std::memcpy(kernel.parameters.data() + at, value, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult launch(const char* name, CUfunction function, int width, int height, CUstream stream) {
  return with_kernel(name, function, [&](Context& context, Kernel& kernel) -> CUresult {
    const auto refuse = [&](CUresult code) { return report_refusal(context, name, code); };
    if (width <= 0 || height <= 0) return refuse(CUDA_ERROR_INVALID_VALUE);
    if (!valid_stream(context, stream)) return refuse(CUDA_ERROR_INVALID_HANDLE);
    KernelWork work(function,
                    {static_cast<unsigned int>(width), static_cast<unsigned int>(height), 1},
                    kernel.block_shape, kernel.shared_size);
    std::size_t bytes = kernel.parameters.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, kernel.parameters.data(),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    const CUresult result = prepare_kernel(context, work, nullptr, extra);
    return refuse(result != CUDA_SUCCESS ? result : submit(context, stream, std::move(work)));
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  return with_kernel("cuFuncSetBlockShape", function, [&](Context&, Kernel& kernel) -> CUresult {
    if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
    kernel.block_shape = {static_cast<unsigned int>(x), static_cast<unsigned int>(y),
                          static_cast<unsigned int>(z)};
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes) {
  return with_kernel("cuFuncSetSharedSize", function, [&](Context&, Kernel& kernel) -> CUresult {
    if (bytes > DeviceProperties::shared_per_block_optin) return CUDA_ERROR_INVALID_VALUE;
    kernel.shared_size = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSetSize(CUfunction function, unsigned int bytes) {
  return with_kernel("cuParamSetSize", function, [&](Context&, Kernel& kernel) -> CUresult {
    if (bytes > kMostParameters) return CUDA_ERROR_INVALID_VALUE;
    kernel.parameters.resize(bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned int value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned int bytes) {
  return set_parameter(function, offset, value, bytes);
}

CUresult cuLaunch(CUfunction function) {
  return launch("cuLaunch", function, 1, 1, nullptr);
}
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return launch("cuLaunchGrid", function, width, height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  return launch("cuLaunchGridAsync", function, width, height, stream);
}

}  // extern "C"
