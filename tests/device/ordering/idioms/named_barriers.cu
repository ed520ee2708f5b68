// A warp fills a place of shared memory, two others read it: two barriers of the block for full and empty.
//@ choice T int | unsigned | float
//@ choice BAR bar | barrier | barrier.cta
//@ choice FULL 1 | 3
//@ choice EMPTY 2 | 15
//@ launch grid=1 block=96
//@ array a $T 128 = rng.integers(0, 99, 128)
//@ array o $T 256
//@ expect o = np.stack([a.reshape(4, 32), a.reshape(4, 32)[:, ::-1]], axis=1).reshape(-1)
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T place[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int t = 0; t < 4; ++t) {
    if (warp == 0) {
      if (t > 0) asm volatile("$BAR.sync $EMPTY, 96;" ::: "memory");
      @{full: ~ asm volatile("$BAR.arrive $FULL, 96;" ::: "memory"); }@
      place[lane] = a[t * 32 + lane];
      @{full: asm volatile("$BAR.arrive $FULL, 96;" ::: "memory"); ~ }@
    } else {
      asm volatile("$BAR.sync $FULL, 96;" ::: "memory");
      @{empty: ~ if (t < 3) asm volatile("$BAR.arrive $EMPTY, 96;" ::: "memory"); }@
      o[(t * 2 + warp - 1) * 32 + lane] = place[warp == 1 ? lane : 31 - lane];
      @{empty: if (t < 3) asm volatile("$BAR.arrive $EMPTY, 96;" ::: "memory"); ~ }@
    }
  }
}
