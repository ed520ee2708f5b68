// Any number of threads.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    dest[i] = b[i] * a[i];
  }
}
