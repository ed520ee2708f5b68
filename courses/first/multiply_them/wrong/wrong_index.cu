// gridDim where blockDim is meant.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * gridDim.x + threadIdx.x;
  if (i < n) dest[i] = a[i] * b[i];
}
