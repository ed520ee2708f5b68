// Warp 0 fills a tile, warps 1 to 4 read all of it: two barriers for full and empty.
//@ choice SLOW 1 | 2 | 3 | 4
//@ choice PLACE __shared__ int buf[32]; | int* buf = room;
//@ launch grid=1 block=160
//@ array a int 128 = rng.integers(0, 9, 128)
//@ array room int 32
//@ array o int 512
//@ expect o = np.broadcast_to(a.reshape(4, 1, 32).sum(2, keepdims=True), (4, 4, 32)).reshape(-1)
#include <cuda/barrier>
extern "C" __global__ void $K(const int* a, int* room, int* o) {
  $PLACE
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  if (threadIdx.x == 0) {
    init(&full, 160);
    init(&empty, @{released: 160 ~ 128 }@);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int t = 0; t < 4; ++t) {
    if (warp == 0) {
      buf[lane] = a[t * 32 + lane];
      (void)full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      int sum = 0;
      for (int j = 0; j < 32; ++j) sum += buf[j];
      o[(t * 4 + warp - 1) * 32 + lane] = sum;
      @{released: ~ if (warp != $SLOW) }@ (void)empty.arrive();
    }
  }
}
