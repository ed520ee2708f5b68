// Blocks add their parts to a result one after the other, so that it is always the same.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ launch grid=4 block=$N
//@ array a $T 4*$N = rng.integers(0, 9, 4 * $N)
//@ array turn uint32 1 = 0
//@ array o $T $N = 0
//@ expect o = sum(np.roll(a.reshape(4, $N)[k], k) * 2 ** (3 - k) for k in range(4))
extern "C" __global__ void $K(const $T* a, unsigned* turn, $T* o) {
  const int i = threadIdx.x, at = (i + blockIdx.x) % $N;
  unsigned now = i > 0 ? blockIdx.x : ~0u;
  while (now != blockIdx.x) {
    asm volatile("ld.@{acquire: acquire ~ relaxed }@.gpu.u32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
  }
  @{told: __syncthreads(); }@
  o[at] = o[at] * 2 + a[blockIdx.x * $N + i];
  @{written: __syncthreads(); }@
  if (i == 0) asm volatile("st.@{release: release ~ relaxed }@.gpu.u32 [%0], %1;" ::"l"(turn), "r"(now + 1) : "memory");
}
