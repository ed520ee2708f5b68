// Every block works on the first elements.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = threadIdx.x;
  if (i < n && blockIdx.x == 0) d_a[i] *= factor;
}
