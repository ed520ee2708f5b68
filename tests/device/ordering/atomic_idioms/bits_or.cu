// A set of bits by atomicOr, whose members are counted by and-ing with all ones.
//@ choice N 64 | 96
//@ launch grid=2 block=$N
//@ array a int 2*$N = rng.integers(0, 96, 2 * $N)
//@ array o int 2
//@ expect o = [len(set(row)) for row in a.reshape(2, -1)]
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ unsigned bits[3];
  const int i = threadIdx.x;
  if (i < 3) atomicExch(&bits[i], 0u);
  @{cleared: __syncthreads(); }@
  const int mine = a[blockIdx.x * $N + i];
  atomicOr(&bits[mine / 32], 1u << mine % 32);
  @{added: __syncthreads(); }@
  if (i == $N - 1) {
    int many = 0;
    for (int w = 0; w < 3; ++w) many += __popc(atomicAnd(&bits[w], ~0u));
    o[blockIdx.x] = many;
  }
}
