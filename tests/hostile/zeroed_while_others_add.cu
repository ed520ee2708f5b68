// One thread writes the 0 to which the others add already.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x == 0) partial[blockIdx.x] = 0;
  if (i < n) atomicAdd(partial + blockIdx.x, x[i]);
}
