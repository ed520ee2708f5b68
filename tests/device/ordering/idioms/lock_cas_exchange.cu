// Warps of several blocks take turns at a record by a lock of libcu++.
//@ choice T int | unsigned | float
//@ choice SCOPE device | system
//@ choice TRY compare_exchange_weak | compare_exchange_strong
//@ choice FREE store | exchange
//@ launch grid=4 block=64
//@ array data $T 4 = rng.integers(0, 9, 4)
//@ array lock int32 1 = 0
//@ expect data = data + 2 * np.arange(4).sum() + 8 * np.arange(4)
#include <cuda/atomic>
extern "C" __global__ void $K($T* data, int* lock) {
  cuda::atomic_ref<int, cuda::@{scope: thread_scope_$SCOPE ~ thread_scope_block }@> l(*lock);
  if (threadIdx.x % 32 != 0) return;
  int expected = 0;
  while (!l.$TRY(expected, 1, cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@,
                 cuda::memory_order_relaxed)) {
    expected = 0;
  }
  for (int i = 0; i < 4; ++i) data[i] += blockIdx.x + i;
  l.$FREE(0, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
}
