// A variable with common linkage between two functions, by closing the kernel in inline assembly.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("ret;\n}\n.common .global .align 4 .b32 kept;\n.func keep() {\n atom.global.add.u32 %%r1, [kept], 1;\n");
  if (i < n) dst[i] = 2 * src[i];
}
