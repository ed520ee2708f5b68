constexpr int BLOCK_SIZE = 128;

template <int Size>
__device__ float reduce(float (&data)[Size]) {
  for (int half = Size / 2; half; half >>= 1) {
    if (threadIdx.x < half) data[threadIdx.x] += data[threadIdx.x + half];
    __syncthreads();
  }
  return data[0];
}

extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float data[BLOCK_SIZE];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  data[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  const float sum = reduce(data);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
