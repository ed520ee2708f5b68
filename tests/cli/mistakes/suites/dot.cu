extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
  const int step = blockDim.x * gridDim.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) sum += x[i] * y[i];
  atomicAdd(result, sum);
}
