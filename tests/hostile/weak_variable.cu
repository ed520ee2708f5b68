// A weak variable with an attribute between two functions.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("ret;\n}\n.weak .global .attribute(.managed) .align 4 .b32 kept[2] = {1, 2};\n.func keep() {\n .reg .b32 t; atom.global.add.u32 t, [kept+4], 1;\n");
  if (i < n) dst[i] = 2 * src[i];
}
