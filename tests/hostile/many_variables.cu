// Thousands of small variables, and a large one behind what a reader may count.
#define V4(a) ".global .b8 v" a "0[4]; .global .b8 v" a "1[4]; .global .b8 v" a "2[4]; .global .b8 v" a "3[4];"
#define V16(a) V4(a "0") V4(a "1") V4(a "2") V4(a "3")
#define V64(a) V16(a "0") V16(a "1") V16(a "2") V16(a "3")
#define V256(a) V64(a "0") V64(a "1") V64(a "2") V64(a "3")
#define V1024(a) V256(a "0") V256(a "1") V256(a "2") V256(a "3")
#define V4096(a) V1024(a "0") V1024(a "1") V1024(a "2") V1024(a "3")
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{" V4096("a") V1024("b") ".global .b8 large[0x10000000]; }");
  if (i < n) dst[i] = 2 * src[i];
}
