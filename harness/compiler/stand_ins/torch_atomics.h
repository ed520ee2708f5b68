// ATen/cuda/Atomic.cuh: programs without it have their own.
#ifndef WARPMARK_STAND_IN_TORCH_ATOMICS
#define WARPMARK_STAND_IN_TORCH_ATOMICS
#include <ATen/ATen.h>
__device__ inline c10::Half atomicAdd(c10::Half* at, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half*>(at), static_cast<__half>(value));
}
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16* at, c10::BFloat16 value) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16*>(at), static_cast<__nv_bfloat16>(value));
}
__device__ inline int64_t atomicAdd(int64_t* at, int64_t value) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(at), (unsigned long long)value);
}
template <typename T>
__device__ inline T gpuAtomicAdd(T* at, T value) {
  return atomicAdd(at, value);
}
template <typename T>
__device__ inline void gpuAtomicAddNoReturn(T* at, T value) {
  atomicAdd(at, value);
}
namespace at {
using ::gpuAtomicAdd;
}
#endif
