// Places are dealt by a counter that wraps around, and a second deal begins where the first has ended.
//@ choice N 64 | 96
//@ launch grid=1 block=$N
//@ array o int $N
//@ expect o = [2] * $N
extern "C" __global__ void $K(int* o) {
  __shared__ unsigned next;
  __shared__ int dealt[$N];
  const int i = threadIdx.x;
  if (i == 0) next = 0;
  dealt[i] = 0;
  __syncthreads();
  atomicAdd(&dealt[atomicInc(&next, $N - 1)], 1);
  atomicAdd(&dealt[atomicInc(&next, $N - 1)], 1);
  @{dealt: __syncthreads(); }@
  o[i] = atomicAdd(&dealt[i], 0);
}
