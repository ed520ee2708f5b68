// Code in the program as nvcc puts it there: an image, registered before main, and its names.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

// Functions that the code made by nvcc calls; crt/host_runtime.h declares them for nvcc only.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external,
                       std::size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name,
                              int external, std::size_t bytes, int constant, int global);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_size,
                            dim3* grid_size, int* warp_size);
char __cudaInitModule(void** handle);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                         CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream);
}

#define ASSERT_CUDA(call) ASSERT_EQ(call, cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

namespace warpmark::test {

/// data[i] *= factor, for i < count; also counts its threads in `total` and `seen`.
void scale(unsigned int* data, unsigned int count);
inline const auto* const kScale = reinterpret_cast<const void*>(&scale);
/// Its code names a kernel that the image does not have.
void missing();
/// Writes past what `data` has.
void overrun(unsigned int* data);

/// True if the first device is ours: the tests run with a GPU and NVIDIA's library, too.
inline bool on_cpu_device() {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
         std::strstr(properties.name, "Warpmark") != nullptr;
}

extern unsigned int factor;  ///< __constant__
extern unsigned int total;   ///< __device__, 5 at first
extern unsigned int* seen;   ///< __managed__, 7 at first
extern void** image;

/// kernel<<<grid, block, 0, stream>>>(arguments...), as nvcc's stub does it.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                   Arguments... given) {
  if (__cudaPushCallConfiguration(grid, block, 0, stream) != 0) return cudaErrorUnknown;
  dim3 popped_grid, popped_block;
  std::size_t shared = 0;
  cudaStream_t popped_stream = nullptr;
  cudaKernel_t handle = nullptr;
  __cudaGetKernel(&handle, reinterpret_cast<const void*>(kernel));
  const cudaError_t result =
      __cudaPopCallConfiguration(&popped_grid, &popped_block, &shared, &popped_stream);
  if (result != cudaSuccess) return result;
  void* arguments[] = {static_cast<void*>(&given)..., nullptr};
  return __cudaLaunchKernel(handle, popped_grid, popped_block, arguments, shared, popped_stream);
}

}  // namespace warpmark::test
