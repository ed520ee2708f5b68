// Tiles come by asynchronous copies, one ahead of that which is read.
//@ choice T int | unsigned | float | double | long long
//@ choice N 64 | 128
//@ choice STEP 33 | 63
//@ launch grid=2 block=$N
//@ array a $T 10*$N = rng.integers(0, 99, 10 * $N)
//@ array o $T 2*$N
//@ expect o = np.roll(a.reshape(2, 5, $N), -$STEP, axis=2).sum(axis=1).reshape(-1)
__device__ void copy($T* to, const $T* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof($T)) : "memory");
}
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[2][$N];
  const int i = threadIdx.x;
  const $T* from = a + blockIdx.x * 5 * $N + i;
  $T sum = 0;
  copy(&tile[0][i], from);
  @{commit: asm volatile("cp.async.commit_group;" ::: "memory"); }@
  for (int t = 0; t < 5; ++t) {
    if (t < 4) copy(&tile[(t + 1) % 2][i], from + (t + 1) * $N);
    @{commit: asm volatile("cp.async.commit_group;" ::: "memory"); }@
    @{wait: asm volatile("cp.async.wait_group 1;" ::: "memory"); ~ asm volatile("cp.async.wait_group 2;" ::: "memory"); }@
    @{filled: __syncthreads(); }@
    sum += tile[t % 2][(i + $STEP) % $N];
    @{used: __syncthreads(); }@
  }
  o[blockIdx.x * $N + i] = sum;
}
