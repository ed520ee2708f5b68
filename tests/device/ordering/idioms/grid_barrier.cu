// A barrier of the grid by hand: each block reads what its neighbour has written before.
//@ choice T int | unsigned | float
//@ choice N 32 | 64
//@ launch grid=4 block=$N cooperative=1
//@ array data $T 4*$N
//@ array arrived int32 1 = 0
//@ array o $T 4*$N
//@ expect o = (np.roll(np.arange(4), -1)[:, None] * 10 + np.arange($N)[::-1]).reshape(-1)
extern "C" __global__ void $K($T* data, int* arrived, $T* o) {
  const int i = threadIdx.x, b = blockIdx.x;
  data[b * $N + i] = b * 10 + i;
  @{written: __syncthreads(); }@
  if (i == 0) {
    @{release: __threadfence(); }@
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < 4) {}
    @{acquire: __threadfence(); }@
  }
  @{told: __syncthreads(); }@
  o[b * $N + i] = data[(b + 1) % 4 * $N + $N - 1 - i];
}
