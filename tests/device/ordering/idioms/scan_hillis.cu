// A scan in steps, from one half of shared memory to the other.
//@ choice T int | unsigned | float | long long
//@ choice N 64 | 128 | 256
//@ launch grid=2 block=$N
//@ array a $T 2*$N = rng.integers(0, 9, 2 * $N)
//@ array o $T 2*$N
//@ expect o = a.reshape(2, $N).cumsum(axis=1).reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T sum[2][$N];
  const int i = threadIdx.x;
  int from = 0;
  sum[0][i] = a[blockIdx.x * $N + i];
  @{filled: __syncthreads(); }@
  for (int distance = 1; distance < $N; distance *= 2) {
    sum[from ^ 1][i] = sum[from][i] + (i >= distance ? sum[from][i - distance] : 0);
    from ^= 1;
    @{step: __syncthreads(); }@
  }
  o[blockIdx.x * $N + i] = sum[from][i];
}
