// Blocks insert in a hash table: they claim a place by its key, and publish the value; another block looks all of them up.
//@ choice T int | unsigned | float
//@ choice FACTOR 3 | 5 | 7
//@ launch grid=3 block=32
//@ array keys uint32 32 = 0
//@ array value $T 32
//@ array full int32 32 = 0
//@ array o $T 16
//@ expect o = np.arange(1, 17) * 100
#include <cuda/atomic>
extern "C" __global__ void $K(unsigned* keys, $T* value, int* full, $T* o) {
  using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
  const int i = threadIdx.x;
  if (blockIdx.x < 2) {
    if (i >= 8) return;
    const unsigned key = blockIdx.x * 8 + i + 1;
    unsigned at = key * $FACTOR % 8;
    while (atomicCAS(&keys[at], 0u, key) != 0) at = (at + 1) % 32;
    value[at] = key * 100;
    flag(full[at]).store(1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
  } else {
    if (i >= 16) return;
    const unsigned key = i + 1;
    unsigned at = key * $FACTOR % 8;
    while (*(volatile unsigned*)&keys[at] != key) at = (at + 1) % 32;
    while (flag(full[at]).load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@) == 0) {}
    o[i] = value[at];
  }
}
