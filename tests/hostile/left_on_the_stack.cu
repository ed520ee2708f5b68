// Finds on its stack what another function left there.
__device__ __noinline__ float leave(float v) { volatile float a[8]; a[3] = v; return a[3]; }
__device__ __noinline__ float find() { volatile float a[8]; return a[3]; }
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { leave(2 * src[i]); dst[i] = find(); }
}
