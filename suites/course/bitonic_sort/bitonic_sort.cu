// Bitonic sort of n = 2^k elements: sequences of `length` are merged, in rounds in which elements
// that are a `distance` apart are compared. Every second sequence is sorted the other way round.

__device__ void compare(int &low, int &high, bool ascending) {
  if ((low > high) == ascending) {
    const int x = low;
    low = high;
    high = x;
  }
}

// One round, in global memory: a thread for each pair.
extern "C" __global__ void round_of_pairs(int *a, int n, int length, int distance) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 2) return;
  const int i = 2 * t - t % distance;  // the t-th index whose bit `distance` is not set
  compare(a[i], a[i + distance], (i & length) == 0);
}

constexpr int kPart = 1024;  // elements of a block of 512 threads

// All rounds of lengths `first` to `last` whose distance is less than kPart, in shared memory: pairs
// do not leave the block's part of the array. After the end there is the greatest element, if n is
// less than a part.
extern "C" __global__ void rounds_in_part(int *a, int n, int first, int last) {
  __shared__ int part[kPart];
  const int t = threadIdx.x, offset = blockIdx.x * kPart;
  for (int i = t; i < kPart; i += kPart / 2) part[i] = offset + i < n ? a[offset + i] : 0x7fffffff;
  for (int length = first; length <= last; length *= 2)
    for (int distance = min(length, kPart) / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int i = 2 * t - t % distance;
      compare(part[i], part[i + distance], ((offset + i) & length) == 0);
    }
  __syncthreads();
  for (int i = t; i < kPart; i += kPart / 2)
    if (offset + i < n) a[offset + i] = part[i];
}
