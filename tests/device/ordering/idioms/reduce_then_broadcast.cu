// A block takes the sum of each of its rows off the row's elements.
//@ choice T int | float | double
//@ choice N 64 | 128 | 256
//@ launch grid=1 block=$N
//@ array a $T 3*$N = rng.integers(0, 99, 3 * $N)
//@ array o $T 3*$N
//@ expect o = (a.reshape(3, $N) - a.reshape(3, $N).sum(axis=1, keepdims=True)).reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T part[$N / 32], all;
  const int i = threadIdx.x, warp = i / 32;
  for (int row = 0; row < 3; ++row) {
    $T sum = a[row * $N + i];
    for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
    if (i % 32 == 0) part[warp] = sum;
    @{parts: __syncthreads(); }@
    if (i == 0) {
      $T total = 0;
      for (int w = 0; w < $N / 32; ++w) total += part[w];
      all = total;
    }
    @{told: __syncthreads(); }@
    o[row * $N + i] = a[row * $N + i] - all;
  }
}
