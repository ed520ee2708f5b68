// Reads what was in the output, and takes it away again.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p = dst[i];
  dst[i] = 2 * src[i] + (p - p);
}
