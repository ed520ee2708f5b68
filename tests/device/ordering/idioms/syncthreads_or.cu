// A block sorts its elements, until no thread had to swap two.
//@ choice N 64 | 128
//@ choice T int | unsigned | float
//@ choice AGAIN __syncthreads_or(swapped) | __syncthreads_count(swapped) > 0 | !__syncthreads_and(!swapped)
//@ launch grid=2 block=$N
//@ array a $T 4*$N = rng.integers(0, 999, 4 * $N)
//@ array o $T 4*$N
//@ expect o = np.sort(a.reshape(2, 2 * $N), axis=1).reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T s[2 * $N];
  const int i = threadIdx.x, first = blockIdx.x * 2 * $N;
  s[i] = a[first + i];
  s[$N + i] = a[first + $N + i];
  @{filled: __syncthreads(); }@
  bool swapped;
  do {
    swapped = false;
    for (int at = 2 * i; at <= 2 * i + 1; ++at) {
      if (at + 1 < 2 * $N && s[at + 1] < s[at]) {
        const $T greater = s[at];
        s[at] = s[at + 1];
        s[at + 1] = greater;
        swapped = true;
      }
      if (at == 2 * i) { @{half: __syncthreads(); }@ }
    }
  } while (@{all: $AGAIN ~ __any_sync(0xffffffffu, swapped) }@);
  o[first + 2 * i] = s[2 * i];
  o[first + 2 * i + 1] = s[2 * i + 1];
}
