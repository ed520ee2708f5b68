// Warps hand values on by volatile stores and loads of global memory.
//@ choice N 64 | 128
//@ launch grid=2 block=$N
//@ array a int 2*$N = rng.integers(1, 99, 2 * $N)
//@ array s int 2*$N = np.zeros(2 * $N)
//@ array o int 2*$N
//@ expect o = a.reshape(2, -1)[:, ::-1].ravel()
extern "C" __global__ void $K(const int* a, volatile int* s, int* o) {
  const int i = threadIdx.x, base = blockIdx.x * $N;
  s[base + i] = a[base + i];
  @{put: __syncthreads(); }@
  o[base + i] = s[base + $N - 1 - i];
}
