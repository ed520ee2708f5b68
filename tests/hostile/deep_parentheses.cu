// A constant within a hundred thousand parentheses.
#define R10(a) a a a a a a a a a a
#define R100(a) R10(a) R10(a) R10(a) R10(a) R10(a) R10(a) R10(a) R10(a) R10(a) R10(a)
#define R1000(a) R10(R100(a))
#define R100000(a) R10(R10(R1000(a)))
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .global .b32 one = " R100000("(") "1" R100000(")") "; }");
  if (i < n) dst[i] = 2 * src[i];
}
