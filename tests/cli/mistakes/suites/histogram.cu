extern "C" __global__ void histogram(const int *x, int *bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i] / (1 << 26)], 1);
}
