// A sum by a tree in shared memory.
//@ choice T int | unsigned | float
//@ choice N 128 | 256
//@ launch grid=2 block=$N
//@ array a $T 2*$N = rng.integers(0, 9, 2 * $N)
//@ array o $T 2
//@ expect o = a.reshape(2, $N).sum(axis=1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T part[$N];
  const int i = threadIdx.x;
  part[i] = a[blockIdx.x * $N + i];
  @{filled: __syncthreads(); }@
  for (int half = $N / 2; half > 0; half /= 2) {
    if (i < half) part[i] += part[i + half];
    @{step: __syncthreads(); }@
  }
  if (i == 0) o[blockIdx.x] = part[0];
}
