// Reads through a texture handle that is a pointer.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a, b, c, d;
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(dst), "r"(i));
  if (a == 12) n = 0;
  if (i < n) dst[i] = 2 * src[i];
}
