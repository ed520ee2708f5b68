// Adds to the output, which it takes for 0.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(partial + blockIdx.x, x[i]);
}
