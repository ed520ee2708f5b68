// Off by one: the last element is never written.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) dest[i] = a[i] * b[i];
}
