// Right, in an odd style: a tree by recursion with a bound, not inlined.
__device__ __noinline__ float add(const float *x, int from, int to) {
  if (to - from <= 1) return to > from ? x[from] : 0;
  int m = (from + to) / 2;
  return add(x, from, m) + add(x, m, to);
}
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  if (threadIdx.x == 0) partial[blockIdx.x] = add(x, blockIdx.x * 256, min(n, (int)blockIdx.x * 256 + 256));
}
