// Reads through the read-only cache what it has just written itself.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 1 + expf(-x[i]);
  float v;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(y + i) : "memory");
  y[i] = x[i] / v;
}
