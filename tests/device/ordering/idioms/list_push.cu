// Blocks push nodes on a list; another block goes through the list until it finds all of them.
//@ choice T int | unsigned | float
//@ choice TRY compare_exchange_weak | compare_exchange_strong
//@ launch grid=4 block=32
//@ array value $T 12
//@ array next int32 12
//@ array head int32 1 = -1
//@ array o $T 1
//@ expect o = (np.arange(12) * 5).sum()
#include <cuda/atomic>
extern "C" __global__ void $K($T* value, int* next, int* head, $T* o) {
  cuda::atomic_ref<int, cuda::@{scope: thread_scope_device ~ thread_scope_block }@> h(*head);
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    for (int node = (blockIdx.x - 1) * 4; node < blockIdx.x * 4; ++node) {
      value[node] = node * 5;
      int first = h.load(cuda::memory_order_relaxed);
      do {
        next[node] = first;
      } while (!h.$TRY(first, node, cuda::@{release: memory_order_release ~ memory_order_relaxed }@,
                       cuda::memory_order_relaxed));
    }
  } else {
    int count = 0;
    while (count < 12) {
      $T sum = 0;
      count = 0;
      for (int n = h.load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@); n >= 0; n = next[n]) {
        sum += value[n];
        ++count;
      }
      *o = sum;
    }
  }
}
