// A helper function, and an early return.
__device__ float scaled(float x, float factor) {
  return x * factor;
}

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  d_a[i] = scaled(d_a[i], factor);
}
