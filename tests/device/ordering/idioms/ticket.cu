// Blocks take turns at a record in the order of their tickets.
//@ launch grid=4 block=64
//@ array data int32 1 = 0
//@ array next int32 1 = 0
//@ array serving int32 1 = 0
//@ expect data = 2**8 - 1
#include <cuda/atomic>
extern "C" __global__ void $K(int* data, int* next, int* serving) {
  if (threadIdx.x % 32 != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> n(*next), s(*serving);
  const int mine = n.fetch_add(1, cuda::memory_order_relaxed);
  while (s.load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@) != mine) {}
  data[0] = data[0] * 2 + 1;
  s.store(mine + 1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
}
