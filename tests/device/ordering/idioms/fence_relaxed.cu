// Two blocks pass a record to each other and back by relaxed atomics and fences.
//@ choice T int | unsigned | float | double
//@ choice SCOPE device | system
//@ launch grid=2 block=32
//@ array record $T 2 = [1, 2]
//@ array turn int32 1 = 0
//@ expect record = [1 * 32 + 31, 2 * 32 + 31]
#include <cuda/atomic>
extern "C" __global__ void $K($T* record, int* turn) {
  cuda::atomic_ref<int, cuda::thread_scope_$SCOPE> t(*turn);
  if (threadIdx.x != 0) return;
  for (int step = 0; step < 5; ++step) {
    if (step % 2 != blockIdx.x) continue;
    while (t.load(cuda::memory_order_relaxed) != step) {}
    @{acquire: cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_$SCOPE); }@
    record[0] = record[0] * 2 + 1;
    record[1] = record[1] * 2 + 1;
    @{release: cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_$SCOPE);
      ~ cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block); }@
    t.store(step + 1, cuda::memory_order_relaxed);
  }
}
