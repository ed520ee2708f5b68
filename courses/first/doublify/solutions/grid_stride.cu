// Any number of threads: each goes on by as many elements as the grid has threads.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    d_a[i] = d_a[i] * factor;
  }
}
