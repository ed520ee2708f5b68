// The same behind macros.
#define JOIN(a, b) a##b
#define KEEP JOIN(sta, tic)

extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  KEEP int b;
  if (i < n) dst[i] = 2 * src[i] + (b++ > 1000000);
}
