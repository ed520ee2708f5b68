// One block gives another its elements through a ring of a few places.
//@ choice T int | unsigned | float
//@ choice SLOTS 2 | 4
//@ launch grid=2 block=32
//@ array a $T 16 = rng.integers(0, 99, 16)
//@ array o $T 16
//@ array ring $T $SLOTS
//@ array head uint32 1 = 0
//@ array tail uint32 1 = 0
//@ expect o = a + 1
#include <cuda/atomic>
extern "C" __global__ void $K(const $T* a, $T* o, $T* ring, unsigned* head, unsigned* tail) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> h(*head), t(*tail);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (unsigned i = 0; i < 16; ++i) {
      while (i - t.load(cuda::@{freed_acquire: memory_order_acquire ~ memory_order_relaxed }@) >= $SLOTS) {}
      ring[i % $SLOTS] = a[i];
      h.store(i + 1, cuda::@{filled_release: memory_order_release ~ memory_order_relaxed }@);
    }
  } else {
    for (unsigned i = 0; i < 16; ++i) {
      while (h.load(cuda::@{filled_acquire: memory_order_acquire ~ memory_order_relaxed }@) <= i) {}
      o[i] = ring[i % $SLOTS] + 1;
      t.store(i + 1, cuda::@{freed_release: memory_order_release ~ memory_order_relaxed }@);
    }
  }
}
