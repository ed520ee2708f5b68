// The greatest value by atomicMax, and how many have it.
//@ choice N 96 | 128
//@ choice READ atomicMax(&top, 0) | atomicAdd(&top, 0) | atomicCAS(&top, -1, -1)
//@ launch grid=2 block=$N
//@ array a int 2*$N = rng.integers(1, 50, 2 * $N)
//@ array o int 4
//@ expect o = np.column_stack([a.reshape(2, -1).max(1), (a.reshape(2, -1) == a.reshape(2, -1).max(1)[:, None]).sum(1)]).ravel()
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int top, many;
  const int i = threadIdx.x, mine = a[blockIdx.x * $N + i];
  if (i == 0) { top = 0; many = 0; }
  __syncthreads();
  atomicMax(&top, mine);
  @{found: __syncthreads(); }@
  if (mine == $READ) atomicAdd(&many, 1);
  @{counted: __syncthreads(); }@
  if (i == 33) { o[2 * blockIdx.x] = top; o[2 * blockIdx.x + 1] = atomicAdd(&many, 0); }
}
