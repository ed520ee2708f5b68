__global__ void double_array(float *d_a, unsigned int n, float factor) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    d_a[i] = d_a[i] * factor;
  }
}
