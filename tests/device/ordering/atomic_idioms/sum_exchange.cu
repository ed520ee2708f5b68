// Thread 0 clears the sum by an exchange, all add to it, and one reads it by adding nothing.
//@ choice N 64 | 128 | 256
//@ choice WHO 0 | 5
//@ choice LAST $N - 1 | 40
//@ launch grid=2 block=$N
//@ array a int 2*$N = rng.integers(1, 9, 2 * $N)
//@ array o int 2
//@ expect o = a.reshape(2, -1).sum(1)
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int sum;
  const int i = threadIdx.x;
  if (i == $WHO) atomicExch(&sum, 0);
  @{cleared: __syncthreads(); }@
  atomicAdd(&sum, a[blockIdx.x * $N + i]);
  @{added: __syncthreads(); }@
  if (i == $LAST) o[blockIdx.x] = atomicAdd(&sum, 0);
}
