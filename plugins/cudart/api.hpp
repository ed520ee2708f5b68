// The functions of the interface as this library implements them, each with the type that the
// toolkit's header gives it. They know no last error and start nothing: exports.cpp does.
#pragma once

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "forward.hpp"

namespace warpmark::cudart::api {

// Functions called by code that nvcc generates; crt/host_runtime.h declares these.
// NOLINTBEGIN(bugprone-reserved-identifier)
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name,
                              int external, size_t bytes, int constant, int global);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_size,
                            dim3* grid_size, int* warp_size);
char __cudaInitModule(void** handle);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                         struct CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream);
// NOLINTEND(bugprone-reserved-identifier)

// NOLINTNEXTLINE(bugprone-macro-parentheses): it is a declaration
#define DECLARE(name) extern decltype(::name) name;
#define PLAIN(name)
#define DEVICE(name) DECLARE(name)
#define DEVICE_PTSZ(name) DECLARE(name)
#define CONTEXT(name) DECLARE(name)
#define CONTEXT_PTSZ(name) DECLARE(name)
#define CONTEXT_PTDS(name) DECLARE(name)
#define AS(symbol, function, need)
#define AS_PTSZ(symbol, function, need)
#define OWN(name)
#define OWN_PTSZ(name)
#define MISSING(name)
#define MISSING_PTSZ(name)
#include "functions.def"
#include "functions13.def"
#include "undefine.def"
DECLARE(cudaCreateChannelDesc)
DECLARE(cudaGetErrorName)
DECLARE(cudaGetErrorString)
DECLARE(cudaGetLastError)
DECLARE(cudaPeekAtLastError)
#undef DECLARE

#define FORWARD(need, name, function) \
  inline constexpr auto& name = Forward<&Driver::function, decltype(::name)>::call;
#define FORWARD_PTSZ(need, name, function) FORWARD(need, name, function)
#define VERSIONED(name, function) FORWARD(need, name, function)
#define COPY(name, body)                                            \
  inline constexpr auto& name = Copy<body, decltype(::name)>::call; \
  inline constexpr auto& name##Async = Copy<body, decltype(::name##Async)>::call;
#include "forwards.def"

}  // namespace warpmark::cudart::api
