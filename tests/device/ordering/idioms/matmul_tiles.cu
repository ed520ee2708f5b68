// A product of matrices, tile by tile in shared memory.
//@ choice T int | float | double
//@ choice TILES 2 | 3
//@ choice SYNC __syncthreads(); | __barrier_sync(0); | asm volatile("bar.sync 0;" ::: "memory");
//@ launch grid=2x2 block=8x8
//@ array a $T 128*$TILES = rng.integers(0, 9, 128 * $TILES)
//@ array b $T 128*$TILES = rng.integers(0, 9, 128 * $TILES)
//@ array o $T 256
//@ expect o = (a.reshape(16, -1) @ b.reshape(-1, 16)).reshape(-1)
extern "C" __global__ void $K(const $T* a, const $T* b, $T* o) {
  __shared__ $T left[8][8], right[8][8];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  $T sum = 0;
  for (int t = 0; t < $TILES; ++t) {
    left[y][x] = a[row * 8 * $TILES + t * 8 + x];
    right[y][x] = b[(t * 8 + y) * 16 + column];
    @{filled: $SYNC }@
    for (int j = 0; j < 8; ++j) sum += left[y][j] * right[j][x];
    @{used: $SYNC }@
  }
  o[row * 16 + column] = sum;
}
