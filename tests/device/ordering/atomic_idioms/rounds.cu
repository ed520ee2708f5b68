// Rounds of taking the greatest and clearing it.
//@ choice N 64 | 128
//@ choice R 2 | 3
//@ launch grid=1 block=$N
//@ array a int $N*$R = np.sort(rng.permutation($N * $R).reshape($R, -1) + 1, 1).ravel()
//@ array o int $R
//@ expect o = a.reshape($R, -1).max(1)
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int top;
  const int i = threadIdx.x;
  if (i == 0) atomicExch(&top, 0);
  __syncthreads();
  for (int r = 0; r < $R; ++r) {
    atomicMax(&top, a[r * $N + i]);
    @{found: __syncthreads(); }@
    if (i == 0) o[r] = atomicExch(&top, 0);
    @{cleared: __syncthreads(); }@
  }
}
