// All warps read a place, and meet at a named barrier before one of them overwrites it.
//@ choice U 0 | 1 | 2 | 3
//@ choice STEP 1 | 2 | 3
//@ choice PLACE shared | global
//@ launch grid=1 block=128
//@ array g int 1
//@ array o int 128
//@ expect o = np.full(128, 5)
extern "C" __global__ void $K(int* g, int* o) {
  __shared__ int shared;
  int& global = *g;
  const int i = threadIdx.x, warp = i / 32;
  if (i == 0) { shared = 5; global = 5; }
  __syncthreads();
  o[i] = $PLACE;
  @{met: ~ if (warp != $U) }@ asm volatile("bar.sync 1, @{met: 128 ~ 96 }@;" ::: "memory");
  if (i == ($U + $STEP) % 4 * 32) $PLACE = 7;
}
