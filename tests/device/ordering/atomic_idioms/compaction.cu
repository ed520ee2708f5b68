// Threads with a positive value take a place by atomicAdd; the number of them is read the same way.
//@ choice N 64 | 128
//@ launch grid=1 block=$N
//@ array a int $N = rng.integers(-3, 9, $N)
//@ array o int 2 = 0
//@ expect o = [(a > 0).sum(), a[a > 0].sum()]
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int next, s[$N];
  const int i = threadIdx.x;
  if (i == 0) next = 0;
  __syncthreads();
  if (a[i] > 0) atomicExch(&s[atomicAdd(&next, 1)], a[i]);
  @{taken: __syncthreads(); }@
  const int many = atomicAdd(&next, 0);
  if (i == 0) o[0] = many;
  if (i < many) atomicAdd(&o[1], atomicAdd(&s[i], 0));
}
