// Inclusive prefix sums in three phases: each block scans 1024 elements, the blocks' sums are
// scanned, and each block adds what lies before it. The sums of n elements are n / 1024, so two
// levels of them are enough for 2^30 elements.

constexpr int kPart = 1024;  // elements of a block

// Hillis and Steele: in each of ten rounds every element adds the one 1, 2, 4, 8 … before it, so
// that there are n log2(n) additions. Two arrays take turns, so that one barrier for each is enough.
extern "C" __global__ void hillis_steele(const int *x, int *y, int *sums, int n) {
  __shared__ int value[2][kPart];
  const int t = threadIdx.x, i = blockIdx.x * kPart + t;
  int now = 0;
  value[now][t] = i < n ? x[i] : 0;
  for (int distance = 1; distance < kPart; distance *= 2) {
    __syncthreads();
    value[1 - now][t] = value[now][t] + (t >= distance ? value[now][t - distance] : 0);
    now = 1 - now;
  }
  if (i < n) y[i] = value[now][t];
  if (t == kPart - 1) sums[blockIdx.x] = value[now][t];
}

// Blelloch: sums go up a tree and prefixes down again, with 2 n additions. Elements that are
// 2, 4, 8 … apart share banks of shared memory.
extern "C" __global__ void blelloch(const int *x, int *y, int *sums, int n) {
  __shared__ int value[kPart];
  const int t = threadIdx.x, first = blockIdx.x * kPart + t, second = first + kPart / 2;
  const int a = first < n ? x[first] : 0, b = second < n ? x[second] : 0;
  value[t] = a;
  value[t + kPart / 2] = b;
  int stride = 1;
  for (int pairs = kPart / 2; pairs > 0; pairs /= 2, stride *= 2) {
    __syncthreads();
    const int right = 2 * stride * (t + 1) - 1;
    if (t < pairs) value[right] += value[right - stride];
  }
  if (t == 0) {  // the same thread wrote it
    sums[blockIdx.x] = value[kPart - 1];
    value[kPart - 1] = 0;
  }
  for (int pairs = 1; pairs < kPart; pairs *= 2) {
    stride /= 2;
    __syncthreads();
    const int right = 2 * stride * (t + 1) - 1;
    if (t < pairs) {
      const int left = value[right - stride];
      value[right - stride] = value[right];
      value[right] += left;
    }
  }
  __syncthreads();
  if (first < n) y[first] = value[t] + a;  // what is before the element, and the element
  if (second < n) y[second] = value[t + kPart / 2] + b;
}

__device__ int scan_of_warp(int value) {
  const int lane = threadIdx.x % warpSize;
  for (int distance = 1; distance < warpSize; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

// Four elements in one request of 16 bytes, so that neighbouring threads use whole sectors.
__device__ int4 load(const int *x, int i, int n) {
  if (i + 3 < n) return *(const int4 *)(x + i);
  return {i < n ? x[i] : 0, i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0};
}

__device__ void store(int *y, int i, int n, int4 value) {
  if (i + 3 < n) {
    *(int4 *)(y + i) = value;
  } else {
    if (i < n) y[i] = value.x;
    if (i + 1 < n) y[i + 1] = value.y;
    if (i + 2 < n) y[i + 2] = value.z;
  }
}

// Each of 256 threads scans four elements in registers, each warp its threads by shuffles, and only
// the sums of the eight warps go through shared memory.
extern "C" __global__ void shuffled(const int *x, int *y, int *sums, int n) {
  __shared__ int of_warp[kPart / 4 / 32];
  const int t = threadIdx.x, warp = t / warpSize, lane = t % warpSize;
  const int first = blockIdx.x * kPart + 4 * t;
  int4 value = load(x, first, n);
  value.y += value.x;
  value.z += value.y;
  value.w += value.z;
  const int upto = scan_of_warp(value.w);  // the thread's own sum included
  if (lane == warpSize - 1) of_warp[warp] = upto;
  __syncthreads();
  int before = upto - value.w;
  for (int w = 0; w < warp; ++w) before += of_warp[w];
  value = {value.x + before, value.y + before, value.z + before, value.w + before};
  store(y, first, n, value);
  if (t == blockDim.x - 1) sums[blockIdx.x] = value.w;
}

// The third phase: `sums` are the prefix sums of the blocks.
extern "C" __global__ void add(int *y, const int *sums, int n) {
  const int i = blockIdx.x * kPart + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += sums[blockIdx.x - 1];
}
