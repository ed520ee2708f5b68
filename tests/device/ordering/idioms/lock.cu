// Blocks take turns at a record by a lock.
//@ choice T int | unsigned
//@ choice FENCE __threadfence(); | cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
//@ launch grid=8 block=32
//@ array data $T 4 = rng.integers(0, 9, 4)
//@ array lock int32 1 = 0
//@ expect data = data + np.arange(8).sum() + 8 * np.arange(4)
#include <cuda/atomic>
extern "C" __global__ void $K($T* data, int* lock) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  @{acquire: $FENCE }@
  for (int i = 0; i < 4; ++i) data[i] += blockIdx.x + i;
  @{release: $FENCE }@
  atomicExch(lock, 0);
}
