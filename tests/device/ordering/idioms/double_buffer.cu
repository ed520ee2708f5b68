// A block goes through its elements in two buffers by turns: one barrier for each tile is enough.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ choice SYNC __syncthreads(); | __syncthreads_count(1); | asm volatile("barrier.cta.sync 0;" ::: "memory");
//@ launch grid=2 block=$N
//@ array a $T 10*$N = rng.integers(0, 99, 10 * $N)
//@ array o $T 2*$N
//@ expect o = np.roll(a.reshape(2, 5, $N), -$STEP, axis=2).sum(axis=1).reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[2][$N];
  const int i = threadIdx.x;
  $T sum = 0;
  for (int t = 0; t < 5; ++t) {
    tile[t % 2][i] = a[(blockIdx.x * 5 + t) * $N + i];
    @{filled: $SYNC }@
    sum += tile[t % 2][(i + $STEP) % $N];
  }
  o[blockIdx.x * $N + i] = sum;
}
