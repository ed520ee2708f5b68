// Right, in an odd style: state and sum in one word of 64 bits by atomics, in place of a flag and a fence.
extern "C" __global__ void scan(const int *x, int *y, unsigned *state, int n) {
  __shared__ int of_warp[8];
  __shared__ int before;
  const int t = threadIdx.x, b = blockIdx.x, i = b * 256 + t, lane = t & 31;
  int v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) { int w = __shfl_up_sync(~0u, v, d); if (lane >= d) v += w; }
  if (lane == 31) of_warp[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += of_warp[w];
  auto *word = reinterpret_cast<unsigned long long *>(state);
  if (t == 255) {
    unsigned long long seen = 1ull << 32;
    while (b > 0 && !((seen = atomicAdd(&word[b - 1], 0ull)) >> 32)) {}
    before = (int)seen;
    atomicExch(&word[b], 1ull << 32 | (unsigned)(before + v));
  }
  __syncthreads();
  if (i < n) y[i] = v + before;
}
