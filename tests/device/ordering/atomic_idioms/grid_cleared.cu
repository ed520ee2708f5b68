// One thread of the grid clears what all add to.
//@ choice N 32 | 64
//@ choice WHO 0 | 3
//@ launch grid=4 block=$N cooperative=1
//@ array o int 1
//@ array r int 1
//@ expect r = [4 * $N]
#include <cooperative_groups.h>
extern "C" __global__ void $K(int* o, int* r) {
  if (blockIdx.x == $WHO && threadIdx.x == 0) atomicExch(o, 0);
  @{cleared: cooperative_groups::this_grid().sync(); }@
  atomicAdd(o, 1);
  @{added: cooperative_groups::this_grid().sync(); }@
  if (blockIdx.x == 1 && threadIdx.x == 0) *r = atomicAdd(o, 0);
}
