// A block copies two tiles together with a barrier object.
//@ choice T int | unsigned | float
//@ choice N 64 | 128
//@ choice SIZE $N * sizeof($T) | cuda::aligned_size_t<8>($N * sizeof($T)) | cuda::aligned_size_t<16>($N * sizeof($T))
//@ launch grid=2 block=$N
//@ array a $T 4*$N = rng.integers(0, 99, 4 * $N)
//@ array o $T 2*$N
//@ expect o = a.reshape(2, 2, $N)[:, :, ::-1].sum(axis=1).reshape(-1)
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
extern "C" __global__ void $K(const $T* a, $T* o) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ alignas(16) $T tile[2][$N];
  auto block = cg::this_thread_block();
  const int i = threadIdx.x;
  if (i == 0) init(&full, $N);
  @{made: block.sync(); }@
  $T sum = 0;
  for (int t = 0; t < 2; ++t) {
    cuda::memcpy_async(block, tile[t], a + (blockIdx.x * 2 + t) * $N, $SIZE, full);
    @{wait: full.arrive_and_wait(); ~ (void)full.arrive(); block.sync(); }@
    sum += tile[t][$N - 1 - i];
  }
  o[blockIdx.x * $N + i] = sum;
}
