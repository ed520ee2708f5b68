// Includes what __FILE__ and a macro of line numbers name.
#line 1 "/etc/hostname"
#include __FILE__
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
