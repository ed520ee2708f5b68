extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  const int first = blockIdx.x * blockDim.x;
  if (first + (int)blockDim.x <= n) {
    dest[first + threadIdx.x] = a[first + threadIdx.x] * b[first + threadIdx.x];
  } else {
    if (threadIdx.x == 0)
      for (int i = first; i < n; i++) dest[i] = a[i] * b[i];
  }
}
