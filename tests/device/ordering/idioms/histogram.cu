// Each block counts in shared memory, then adds its counts to those of the grid.
//@ choice N 64 | 128
//@ choice BINS 8 | 32
//@ choice ADD atomicAdd | atomicAdd_block
//@ launch grid=3 block=$N
//@ array a int32 3*$N = rng.integers(0, $BINS, 3 * $N)
//@ array o uint32 $BINS = 0
//@ expect o = np.bincount(a, minlength=$BINS)
extern "C" __global__ void $K(const int* a, unsigned* o) {
  __shared__ unsigned bin[$BINS];
  const int i = threadIdx.x;
  if (i < $BINS) bin[i] = 0;
  @{cleared: __syncthreads(); }@
  $ADD(&bin[a[blockIdx.x * $N + i]], 1u);
  @{counted: __syncthreads(); }@
  if (i < $BINS) @{scope: atomicAdd ~ atomicAdd_block }@(&o[i], bin[i]);
}
