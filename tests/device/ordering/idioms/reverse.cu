// A block reverses its elements by way of shared memory.
//@ choice T int | unsigned | float | long long
//@ choice N 64 | 128 | 256
//@ launch grid=2 block=$N
//@ array a $T 2*$N = rng.integers(0, 99, 2 * $N)
//@ array o $T 2*$N
//@ expect o = a.reshape(2, $N)[:, ::-1].reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[$N];
  const int i = threadIdx.x, first = blockIdx.x * $N;
  tile[i] = a[first + i];
  @{filled: __syncthreads(); }@
  o[first + i] = tile[$N - 1 - i];
}
