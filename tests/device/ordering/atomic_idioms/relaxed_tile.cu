// The same by relaxed stores and loads.
//@ choice N 64 | 128
//@ choice SCOPE block | device
//@ launch grid=3 block=$N
//@ array a int 3*$N = rng.integers(1, 99, 3 * $N)
//@ array o int 3*$N
//@ expect o = a.reshape(3, -1)[:, ::-1].ravel()
#include <cuda/atomic>
extern "C" __global__ void $K(const int* a, int* o) {
  __shared__ int s[$N];
  const int i = threadIdx.x, at = blockIdx.x * $N + i;
  cuda::atomic_ref<int, cuda::thread_scope_$SCOPE> mine(s[i]), other(s[$N - 1 - i]);
  mine.store(a[at], cuda::memory_order_relaxed);
  @{put: __syncthreads(); }@
  o[at] = other.load(cuda::memory_order_relaxed);
}
