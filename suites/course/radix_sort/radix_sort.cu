// Radix sort from the lowest digit to the highest, `bits` at a time. Each pass is stable: it counts
// the digits of each block, finds where each block's elements with each digit go, and moves them.

constexpr int kBlock = 256, kWarps = kBlock / 32;

// How many elements before this thread's have the flag; `total` is for all of the block. By
// ballots, as a flag is one bit. All threads of the block take part.
__device__ int flags_before(bool flag, int &total) {
  __shared__ int of_warp[kWarps];
  const int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  const unsigned flags = __ballot_sync(0xffffffff, flag);
  __syncthreads();  // before the last call's counts are overwritten
  if (lane == 0) of_warp[warp] = __popc(flags);
  __syncthreads();
  int before = __popc(flags & ((1u << lane) - 1));
  total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += of_warp[w];
    total += of_warp[w];
  }
  return before;
}

// counts[digit * blocks + block]: in this order their prefix sums are the elements' new places.
template <int bits>
__global__ void count(const unsigned *keys, int *counts, int n, int shift) {
  __shared__ int own[1 << bits];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  if (t < 1 << bits) own[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[keys[i] >> shift & ((1 << bits) - 1)], 1);
  __syncthreads();
  if (t < 1 << bits) counts[t * gridDim.x + blockIdx.x] = own[t];
}

// Exclusive prefix sums in place by one block, a warp's shuffles at a time.
extern "C" __global__ void scan(int *counts, int n) {
  __shared__ int of_warp[32];
  const int t = threadIdx.x, lane = t % warpSize, warp = t / warpSize;
  int done = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    const int own = first + t < n ? counts[first + t] : 0;
    int upto = own;
    for (int d = 1; d < warpSize; d *= 2) {
      const int before = __shfl_up_sync(0xffffffff, upto, d);
      if (lane >= d) upto += before;
    }
    __syncthreads();
    if (lane == warpSize - 1) of_warp[warp] = upto;
    __syncthreads();
    int before = done;
    for (unsigned w = 0; w < blockDim.x / warpSize; ++w) {
      if (w < warp) before += of_warp[w];
      done += of_warp[w];
    }
    if (first + t < n) counts[first + t] = before + upto - own;
  }
}

// Sorts the block's keys by their digit, bit by bit in shared memory, so that keys with one digit
// are neighbours and go to neighbouring places.
template <int bits>
__global__ void move(const unsigned *keys, unsigned *out, const int *counts, int n, int shift) {
  __shared__ unsigned sorted[kBlock];
  __shared__ int begin[1 << bits];
  const int t = threadIdx.x, size = min(kBlock, n - blockIdx.x * kBlock);
  unsigned key = t < size ? keys[blockIdx.x * kBlock + t] : 0;
  for (int bit = shift; bit < shift + bits; ++bit) {
    const bool one = t >= size || (key >> bit & 1);  // what is beyond the end stays there
    int ones;
    const int before = flags_before(one, ones);
    const int place = one ? kBlock - ones + before : t - before;
    sorted[place] = key;
    __syncthreads();
    key = sorted[t];
    __syncthreads();
  }
  const int digit = key >> shift & ((1 << bits) - 1);
  if (t < size && (t == 0 || digit != (sorted[t - 1] >> shift & ((1 << bits) - 1)))) begin[digit] = t;
  __syncthreads();
  if (t < size) out[counts[digit * gridDim.x + blockIdx.x] + t - begin[digit]] = key;
}
