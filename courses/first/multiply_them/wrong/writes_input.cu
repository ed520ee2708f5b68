// The result goes to an input, past its const.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float *out = const_cast<float *>(a);
  out[i] = a[i] * b[i];
  dest[i] = out[i];
}
