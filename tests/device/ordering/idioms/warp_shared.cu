// The lanes of a warp add up their elements by way of shared memory.
//@ choice T int | unsigned | float | double
//@ choice SYNC __syncwarp(); | __syncwarp(0xffffffffu); | cg::tiled_partition<32>(cg::this_thread_block()).sync(); | asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
//@ launch grid=1 block=64
//@ array a $T 64 = rng.integers(0, 99, 64)
//@ array o $T 64
//@ expect o = np.repeat(a.reshape(2, 32).sum(axis=1), 32)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T place[64];
  const int i = threadIdx.x;
  $T sum = a[i];
  for (int other = 16; other > 0; other /= 2) {
    place[i] = sum;
    @{filled: $SYNC }@
    sum += place[i ^ other];
    @{used: $SYNC }@
  }
  o[i] = sum;
}
