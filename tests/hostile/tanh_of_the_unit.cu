// Uses the hardware's tanh, whose error of 2^-11 the CPU device does not have.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t, h = x[i] / 2;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(h));
  y[i] = h + h * t;
}
