// Blocks fetch the numbers of their tiles from a counter until there are no more.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ launch grid=2 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array next int32 1 = 0
//@ array o $T 6*$N
//@ expect o = a * 2
extern "C" __global__ void $K(const $T* a, int* next, $T* o) {
  __shared__ int tile;
  const int i = threadIdx.x;
  while (true) {
    if (i == 0) tile = atomicAdd(next, 1);
    @{told: __syncthreads(); }@
    const int mine = tile;
    @{used: __syncthreads(); }@
    if (mine >= 6) break;
    o[mine * $N + i] = a[mine * $N + i] * 2;
  }
}
