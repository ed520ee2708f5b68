// A block fills a tile, which one thread stores with a bulk copy; the tile is filled again when the copy has read it.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ choice PROXY fence.proxy.async | fence.proxy.async.shared::cta
//@ launch grid=2 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array o $T 6*$N
//@ expect o = a.reshape(6, $N)[:, ::-1].reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ alignas(16) $T tile[$N];
  const int i = threadIdx.x;
  for (int t = 0; t < 3; ++t) {
    const int first = (blockIdx.x * 3 + t) * $N;
    tile[$N - 1 - i] = a[first + i];
    @{proxy: asm volatile("$PROXY;" ::: "memory"); }@
    @{filled: __syncthreads(); }@
    if (i == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                   ::"l"(o + first), "r"((unsigned)__cvta_generic_to_shared(tile)), "r"((unsigned)sizeof(tile)) : "memory");
      @{commit: asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }@
      @{read: asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }@
    }
    @{used: __syncthreads(); }@
  }
}
