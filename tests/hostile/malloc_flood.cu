// Takes all of the device's heap and gives nothing back.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 100; ++k) {
    if (!malloc(1 << 20)) break;
  }
  if (i < n) dst[i] = 2 * src[i];
}
