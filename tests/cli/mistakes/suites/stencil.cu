extern "C" __global__ void smooth(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = i == 0 || i == n - 1 ? x[i] : (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
}
