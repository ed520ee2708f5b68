// A variable whose declaration a section for debuggers seems to hold.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("ret;\n}\n.section .debug_x {\n .b8 0 // }\n }\n.global .b32 kept; // }\n.func keep() {\n .reg .b32 t; atom.global.add.u32 t, [kept], 1;\n");
  if (i < n) dst[i] = 2 * src[i];
}
