// A block hands a record over by a flag.
//@ choice T int | unsigned | float
//@ choice SCOPE device | system
//@ launch grid=3 block=32
//@ array data $T 2
//@ array flag int32 1 = 0
//@ array o $T 4
//@ expect o = [7, 8, 7, 8]
#include <cuda/atomic>
extern "C" __global__ void $K($T* data, int* flag, $T* o) {
  cuda::atomic_ref<int, cuda::@{scope: thread_scope_$SCOPE ~ thread_scope_block }@> f(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 7;
    data[1] = 8;
    f.store(1, cuda::@{release: memory_order_release ~ memory_order_relaxed }@);
  } else {
    while (f.load(cuda::@{acquire: memory_order_acquire ~ memory_order_relaxed }@) == 0) {}
    o[blockIdx.x * 2 - 2] = data[0];
    o[blockIdx.x * 2 - 1] = data[1];
  }
}
