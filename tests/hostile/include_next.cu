// Further directives that open files.
#include_next "/etc/passwd"
#embed "/etc/passwd"
#import "/etc/passwd"
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = 2 * src[i];
}
