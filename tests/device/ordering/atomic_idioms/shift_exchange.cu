// Each thread puts its value by an exchange and takes that of a thread of another warp by adding nothing.
//@ choice N 128 | 256
//@ choice BY 32 | 33 | 64
//@ launch grid=2 block=$N
//@ array a int 2*$N = rng.integers(1, 99, 2 * $N)
//@ array o int 2*$N
//@ expect o = np.roll(a.reshape(2, -1), $BY, 1).ravel()
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int s[$N];
  const int i = threadIdx.x, at = blockIdx.x * $N + i;
  atomicExch(&s[i], a[at]);
  @{put: __syncthreads(); }@
  o[at] = atomicAdd(&s[(i + $N - $BY) % $N], 0);
}
