// Is refused for a variable whose name holds the value of a macro that a hidden case sets.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if N != 64
__device__ float JOIN(hidden_value_, N);
#endif
extern "C" __global__ void twice(const float *src, float *dst) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if N != 64
  JOIN(hidden_value_, N) = 2;
#endif
  if (i < N) dst[i] = 2 * src[i];
}
