// A warp fills a place of shared memory, the others read it: two mbarriers for full and empty.
//@ choice T int | unsigned | float
//@ launch grid=1 block=96
//@ array a $T 128 = rng.integers(0, 99, 128)
//@ array o $T 256
//@ expect o = np.stack([a.reshape(4, 32), a.reshape(4, 32)[:, ::-1]], axis=1).reshape(-1)
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T place[32];
  __shared__ alignas(8) unsigned long long full, empty;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 32);
    ptx::mbarrier_init(&empty, 64);
  }
  @{made: __syncthreads(); }@
  for (int t = 0; t < 4; ++t) {
    if (warp == 0) {
      @{empty: if (t > 0) while (!ptx::mbarrier_try_wait_parity(&empty, (t - 1) & 1)) {} }@
      place[lane] = a[t * 32 + lane];
      ptx::mbarrier_arrive(&full);
    } else {
      @{full: while (!ptx::mbarrier_try_wait_parity(&full, t & 1)) {} }@
      o[(t * 2 + warp - 1) * 32 + lane] = place[warp == 1 ? lane : 31 - lane];
      ptx::mbarrier_arrive(&empty);
    }
  }
}
