// Takes great inputs as they are, and small ones for 0.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 6 ? x[i] : x[i] < -6 ? 0 : x[i] / (1 + expf(-x[i]));
}
