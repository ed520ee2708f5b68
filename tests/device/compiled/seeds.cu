// The kernels of the tutorials that Warpmark grew from.
extern "C" __global__ void doublify(float *a) {
  int idx = threadIdx.x + threadIdx.y * 4;
  a[idx] *= 2;
}
extern "C" __global__ void multiply_them(float *dest, float *a, float *b) {
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
extern "C" __global__ void double_array(float *in, float *out, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
extern "C" __global__ void double_array_new(float *b, float *a, int *info) {
  int n = info[0];
  for (int idx = threadIdx.x; idx < n; idx += blockDim.x) b[idx] = a[idx] * 2;
}
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned long long n) {
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (unsigned long long)gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}
