// Ends after far more work than anybody needs.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (long k = 0; k < (1L << 40); ++k) sum = sum * 0.5f + k;
  if (i < n) dst[i] = 2 * src[i] + (sum == 1.25f);
}
