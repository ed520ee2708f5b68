extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool done = i >= n;
  for (; !done;) {
    switch (i < n) {
      case true: d_a[i] = d_a[i] * factor; break;
      default: break;
    }
    i += gridDim.x * blockDim.x;
    done = !(i < n);
  }
}
