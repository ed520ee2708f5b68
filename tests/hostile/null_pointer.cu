// Writes to address 0.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) *reinterpret_cast<volatile int *>(0) = 1;
  if (i < n) dst[i] = 2 * src[i];
}
