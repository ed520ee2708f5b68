// Writes infinity.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = __int_as_float(0x7f800000);
}
