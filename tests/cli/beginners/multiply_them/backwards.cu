// From the end on.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  for (int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x); i >= 0;
       i -= (int)(gridDim.x * blockDim.x))
    dest[i] = a[i] * b[i];
}
