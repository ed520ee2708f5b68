extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned idx = threadIdx.x + blockDim.x * blockIdx.x;
  if (idx >= n) return;
  d_a[idx] = d_a[idx] * factor;
}
