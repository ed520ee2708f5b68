// Values over their sum, which is made by atomicAdd.
//@ choice N 64 | 128
//@ launch grid=2 block=$N
//@ array a float 2*$N = rng.integers(1, 9, 2 * $N)
//@ array o float 2*$N
//@ expect o = (a.reshape(2, -1) / a.reshape(2, -1).sum(1, dtype=np.float32)[:, None]).ravel()
extern "C" __global__ void $K(const float* a, float* o) {
  __shared__ float sum;
  const int i = threadIdx.x, at = blockIdx.x * $N + i;
  if (i == 0) atomicExch(&sum, 0.f);
  @{cleared: __syncthreads(); }@
  atomicAdd(&sum, a[at]);
  @{added: __syncthreads(); }@
  o[at] = __fdiv_rn(a[at], atomicAdd(&sum, 0.f));
}
