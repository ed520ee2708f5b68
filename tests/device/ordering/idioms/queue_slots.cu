// Blocks put records in the slots of a queue; the threads of another block take one slot each.
//@ choice T int | unsigned | float
//@ choice SCOPE device | system
//@ launch grid=4 block=32
//@ array who int32 24
//@ array what $T 24
//@ array next int32 1 = 0
//@ array full int32 24 = 0
//@ array o $T 24
//@ expect o = np.arange(24) * 3 + 1
#include <cuda/atomic>
extern "C" __global__ void $K(int* who, $T* what, int* next, int* full, $T* o) {
  using number = cuda::atomic_ref<int, cuda::@{scope: thread_scope_$SCOPE ~ thread_scope_block }@>;
  const int i = threadIdx.x;
  if (blockIdx.x > 0 && i < 8) {
    const int record = (blockIdx.x - 1) * 8 + i;
    const int slot = number(*next).fetch_add(1, cuda::memory_order_relaxed);
    who[slot] = record;
    what[slot] = record * 3 + 1;
    number(full[slot]).store(1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
  }
  if (blockIdx.x == 0 && i < 24) {
    while (number(full[i]).load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@) == 0) {}
    o[who[i]] = what[i];
  }
}
