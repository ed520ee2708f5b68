// Asynchronous copies arrive at an mbarrier when they are done.
//@ choice T int | unsigned | float | double
//@ choice N 64 | 128
//@ launch grid=2 block=$N
//@ array a $T 6*$N = rng.integers(0, 99, 6 * $N)
//@ array o $T 6*$N
//@ expect o = a.reshape(6, $N)[:, ::-1].reshape(-1)
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void $K(const $T* a, $T* o) {
  __shared__ $T tile[$N];
  __shared__ alignas(8) unsigned long long full;
  const int i = threadIdx.x;
  if (i == 0) ptx::mbarrier_init(&full, $N);
  @{made: __syncthreads(); }@
  for (int t = 0; t < 3; ++t) {
    const int first = (blockIdx.x * 3 + t) * $N;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 ::"r"((unsigned)__cvta_generic_to_shared(&tile[i])), "l"(a + first + i), "n"(sizeof($T)) : "memory");
    asm volatile("@{arrive: cp.async.mbarrier.arrive.noinc.shared::cta.b64 ~ mbarrier.arrive.shared::cta.b64 _, }@ [%0];"
                 ::"r"((unsigned)__cvta_generic_to_shared(&full)) : "memory");
    @{wait: while (!ptx::mbarrier_try_wait_parity(&full, t & 1)) {} }@
    o[first + i] = tile[$N - 1 - i];
    @{used: __syncthreads(); }@
  }
}
