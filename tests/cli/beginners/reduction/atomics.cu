extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
