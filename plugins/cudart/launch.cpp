// Launches: <<<>>>, which pushes a configuration and pops it in the stub that nvcc makes, and calls.
#include <climits>
#include <vector>

#include "api.hpp"
#include "launch.hpp"
#include "registry.hpp"
#include "runtime.hpp"
#include "warpmark/per_thread.hpp"

namespace warpmark::cudart {
namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};

std::vector<Configuration>& configurations() {
  return per_thread<std::vector<Configuration>>();
}

bool exceeds(CUdevice device, unsigned int size, CUdevice_attribute limit) {
  int most = INT_MAX;
  driver().cuDeviceGetAttribute(&most, limit, device);
  return size == 0 || size > static_cast<unsigned int>(most);
}

// The driver says "invalid argument" to what the runtime of CUDA 12 calls an invalid configuration;
// that of CUDA 13 says what the driver says.
bool impossible(const dim3& grid, const dim3& block) {
  const CUdevice device = current_device();
  return exceeds(device, grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) ||
         exceeds(device, grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
         exceeds(device, grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) ||
         exceeds(device, block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
         exceeds(device, block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) ||
         exceeds(device, block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) ||
         exceeds(device, block.x * block.y * block.z, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

// An error of the program, told from one of the configuration.
cudaError_t launched(CUresult result, const dim3& grid, const dim3& block) {
  if (result != CUDA_ERROR_INVALID_VALUE || kRuntimeVersion >= 13000) return error_of(result);
  return impossible(grid, block) ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
}

cudaError_t launch(const void* name, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, bool cooperative) {
  CUfunction function = nullptr;
  const cudaError_t found = find_function(name, function);
  if (found != cudaSuccess) return found;
  if (shared > UINT_MAX) return cudaErrorInvalidValue;
  const auto bytes = static_cast<unsigned int>(shared);
  const CUresult result =
      cooperative ? driver().cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x,
                                                       block.y, block.z, bytes, stream, arguments)
                  : driver().cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                            block.z, bytes, stream, arguments, nullptr);
  return launched(result, grid, block);
}

}  // namespace

// The attributes of both interfaces are the same, in numbers and layout.
CUlaunchConfig launch_config(const cudaLaunchConfig_t& config) {
  CUlaunchConfig made{};
  made.gridDimX = config.gridDim.x;
  made.gridDimY = config.gridDim.y;
  made.gridDimZ = config.gridDim.z;
  made.blockDimX = config.blockDim.x;
  made.blockDimY = config.blockDim.y;
  made.blockDimZ = config.blockDim.z;
  made.sharedMemBytes = static_cast<unsigned int>(config.dynamicSmemBytes);
  made.hStream = config.stream;
  made.attrs = same<CUlaunchAttribute>(config.attrs);
  made.numAttrs = config.numAttrs;
  return made;
}

namespace api {

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                         struct CUstream_st* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations().empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, false);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* name,
                                void** arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  CUfunction function = nullptr;
  const cudaError_t found = find_function(name, function);
  if (found != cudaSuccess) return found;
  const CUlaunchConfig made = launch_config(*config);
  return launched(driver().cuLaunchKernelEx(&made, function, arguments, nullptr), config->gridDim,
                  config->blockDim);
}

}  // namespace api
}  // namespace warpmark::cudart
