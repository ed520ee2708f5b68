// The counter of the loop is never increased.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    d_a[i] *= factor;
    if (i > n) i += 1;
  }
}
