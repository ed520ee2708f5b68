// A block posts the numbers of its records in a mailbox, which another block empties.
//@ choice T int | unsigned | float
//@ choice SCOPE device | system
//@ launch grid=2 block=32
//@ array a $T 8 = rng.integers(0, 99, 8)
//@ array record $T 8
//@ array box int32 1 = 0
//@ array o $T 8
//@ expect o = a * 2 + 1
#include <cuda/atomic>
extern "C" __global__ void $K(const $T* a, $T* record, int* box, $T* o) {
  cuda::atomic_ref<int, cuda::@{scope: thread_scope_$SCOPE ~ thread_scope_block }@> b(*box);
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 8; ++i) {
    if (blockIdx.x == 0) {
      record[i] = a[i] * 2;
      while (b.load(cuda::memory_order_relaxed) != 0) {}
      b.exchange(i + 1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
    } else {
      int got = 0;
      while (got == 0) got = b.exchange(0, cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@);
      o[got - 1] = record[got - 1] + 1;
    }
  }
}
