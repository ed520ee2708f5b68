// Parameters of other types.
extern "C" __global__ void linear_combination(int a, const float *x, int b, const float *y,
                                              float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + b * y[i];
}
