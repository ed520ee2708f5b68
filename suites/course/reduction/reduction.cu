// The sum of an array: each block adds up its part, and a second launch the blocks' sums. The steps
// of the ladder are those of Mark Harris, Optimizing Parallel Reduction in CUDA (2007).

constexpr int kBlock = 256;

// Steps 1 to 3 differ only in which threads add which elements.
enum Order { divergent, strided, sequential };

template <Order order>
__global__ void tree(const float *x, float *partial, int n) {
  __shared__ float sum[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  sum[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (order == sequential) {  // the first threads add neighbouring elements
    for (int half = kBlock / 2; half > 0; half /= 2) {
      if (t < half) sum[t] += sum[t + half];
      __syncthreads();
    }
  } else {
    for (int stride = 1; stride < kBlock; stride *= 2) {
      if (order == divergent) {  // every second, fourth, eighth … thread of each warp
        if (t % (2 * stride) == 0) sum[t] += sum[t + stride];
      } else {  // the first threads, but with elements that lie in few banks
        const int j = 2 * stride * t;
        if (j < kBlock) sum[j] += sum[j + stride];
      }
      __syncthreads();
    }
  }
  if (t == 0) partial[blockIdx.x] = sum[0];
}

// Step 4: each thread adds elements before the tree begins, and warps exchange registers. So most
// additions need neither shared memory nor barriers. Any number of blocks will do.
__device__ float sum_of_warp(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

extern "C" __global__ void shuffled(const float *x, float *partial, int n) {
  __shared__ float of_warp[kBlock / 32];
  const int t = threadIdx.x;
  float value = 0;
  for (int i = blockIdx.x * kBlock + t; i < n; i += gridDim.x * kBlock) value += x[i];
  value = sum_of_warp(value);
  if (t % warpSize == 0) of_warp[t / warpSize] = value;
  __syncthreads();
  if (t < warpSize) {
    value = sum_of_warp(t < kBlock / 32 ? of_warp[t] : 0);
    if (t == 0) partial[blockIdx.x] = value;
  }
}

// The last warp without barriers, as if its lanes ran in lockstep. Since Volta (2017) they need not,
// so that a lane may load what another has yet to store.
extern "C" __global__ void warp_synchronous(const float *x, float *partial, int n) {
  __shared__ float sum[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  sum[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = kBlock / 2; half > 32; half /= 2) {
    if (t < half) sum[t] += sum[t + half];
    __syncthreads();
  }
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) sum[t] += sum[t + half];
    if (t == 0) partial[blockIdx.x] = sum[0];
  }
}
