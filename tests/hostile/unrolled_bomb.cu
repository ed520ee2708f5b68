// A loop that the compiler is told to unroll a hundred thousand times.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 100000
  for (int k = 0; k < 100000; ++k) sum += sinf(src[0] * k) * cosf(sum + k);
  if (sum == 12.5f) n = 0;
  if (i < n) dst[i] = 2 * src[i];
}
