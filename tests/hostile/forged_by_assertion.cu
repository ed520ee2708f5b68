// An assertion whose text, file and function are lines of a CI's commands.
#include <cassert>
#line 1 "x\n::error file=grader.cu"
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n < 0 && "\n::error::forged \r\n##[error]forged");
  if (i < n) dst[i] = 2 * src[i];
}
