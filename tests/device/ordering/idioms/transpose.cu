// A block transposes tiles of a matrix by way of shared memory.
//@ choice T int | unsigned | float | double
//@ choice ROWS 4 | 8
//@ choice WIDTH 32 | 33
//@ launch grid=2 block=32x$ROWS
//@ array a $T 32*128 = rng.integers(0, 99, 32 * 128)
//@ array o $T 32*128
//@ expect o = a.reshape(32, 128).T.reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[32][$WIDTH];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int first = blockIdx.x * 64; first < blockIdx.x * 64 + 64; first += 32) {
    for (int row = y; row < 32; row += $ROWS) tile[row][x] = a[row * 128 + first + x];
    @{filled: __syncthreads(); }@
    for (int row = y; row < 32; row += $ROWS) o[(first + row) * 32 + x] = tile[x][row];
    @{used: __syncthreads(); }@
  }
}
