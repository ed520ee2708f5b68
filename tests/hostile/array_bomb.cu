// An initialised array that would be a gigabyte of PTX.
__device__ int kept[1 << 28] = {1};
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kept[i] == 7) n = 0;
  if (i < n) dst[i] = 2 * src[i];
}
