// All threads write one flag, and read it.
__device__ int flag;
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  flag = i;
  if (i < n) dst[i] = flag >= 0 ? 2 * src[i] : 0;
}
