// Two warps produce and two consume, with a barrier of their own number.
//@ choice ID 1 | 7
//@ launch grid=2 block=128
//@ array a int 128 = rng.integers(1, 99, 128)
//@ array o int 128
//@ expect o = a
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int s[64];
  const int i = threadIdx.x, base = blockIdx.x * 64;
  if (i < 64) {
    atomicExch(&s[i], a[base + i]);
    @{handed: asm volatile("bar.arrive $ID, 128;" ::: "memory"); }@
  } else {
    @{handed: asm volatile("bar.sync $ID, 128;" ::: "memory"); }@
    o[base + i - 64] = atomicAdd(&s[i - 64], 0);
  }
}
