// A polynomial near zero, where the result is small.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = fabsf(v) < 0.05f ? v / 2 + v * v / 4 : v / (1 + expf(-v));
}
