// The index is clamped, so that no element outside is read; several threads may read the last one.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = i < n ? i : n - 1;
  float product = a[j] * b[j];
  i < n ? dest[i] = product : product;
}
