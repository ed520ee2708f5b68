// The grid's threads replace their elements by those of other blocks.
//@ choice T int | unsigned | float | double
//@ choice N 32 | 64
//@ choice STEP 33 | 64 | 100
//@ choice SYNC grid.sync(); | grid.barrier_wait(grid.barrier_arrive()); | cg::sync(grid);
//@ launch grid=3 block=$N cooperative=1
//@ array data $T 3*$N
//@ expect data = np.roll(np.arange(3 * $N), -$STEP) * 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void $K($T* data) {
  auto grid = cg::this_grid();
  const int i = blockIdx.x * $N + threadIdx.x;
  data[i] = i;
  @{written: $SYNC ~ __syncthreads(); }@
  const $T got = data[(i + $STEP) % (3 * $N)];
  @{used: $SYNC ~ __syncthreads(); }@
  data[i] = got * 2;
}
