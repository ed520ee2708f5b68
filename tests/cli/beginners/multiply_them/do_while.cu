extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  do {
    dest[i] = a[i] * b[i];
    i += gridDim.x * blockDim.x;
  } while (i < n);
}
