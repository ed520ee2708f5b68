// Float literals without f: computed in double, rounded once.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = 1.0, y = 0.0;
  if (i < n) {
    x *= a[i];
    y = b[i] * 1.;
    dest[i] = x * y;
  }
}
