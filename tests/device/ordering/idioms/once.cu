// The first block to come makes a table; the others use it when it is made.
//@ choice T int | unsigned | float
//@ choice SCOPE device | system
//@ choice TRY compare_exchange_strong | compare_exchange_weak
//@ launch grid=4 block=64
//@ array table $T 16
//@ array state int32 1 = 0
//@ array o $T 4*64
//@ expect o = np.tile(np.arange(16) ** 2, 16)
#include <cuda/atomic>
extern "C" __global__ void $K($T* table, int* state, $T* o) {
  cuda::atomic_ref<int, cuda::@{scope: thread_scope_$SCOPE ~ thread_scope_block }@> s(*state);
  const int i = threadIdx.x;
  if (i == 0) {
    while (s.load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@) != 2) {
      int untouched = 0;
      if (s.$TRY(untouched, 1, cuda::memory_order_relaxed)) {
        for (int j = 0; j < 16; ++j) table[j] = j * j;
        s.store(2, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
      }
    }
  }
  @{told: __syncthreads(); }@
  o[blockIdx.x * 64 + i] = table[i % 16];
}
