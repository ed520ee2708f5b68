// The lower half of a warp puts, the upper half takes.
//@ launch grid=2 block=32
//@ array a int 64 = rng.integers(1, 99, 64)
//@ array o int 32
//@ expect o = a.reshape(2, 32)[:, :16].ravel()
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int s[16];
  const int i = threadIdx.x;
  if (i < 16) atomicExch(&s[i], a[blockIdx.x * 32 + i]);
  @{put: __syncwarp(); }@
  if (i >= 16) o[blockIdx.x * 16 + i - 16] = atomicAdd(&s[i - 16], 0);
}
