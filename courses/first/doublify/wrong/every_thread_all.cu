// Every thread doubles every element, so that each is doubled many times.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  for (unsigned i = 0; i < n; ++i) d_a[i] *= factor;
}
