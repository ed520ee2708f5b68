// A box of a matrix by a tensor map: one thread asks for it, and an mbarrier tells all of them when it
// is there.
#pragma once

#include <cuda.h>
#include <cstdint>

namespace {

__device__ unsigned address(const void *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// `parts` loads fill a phase.
__device__ void init(uint64_t *barrier, int parts = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(parts) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Elements outside of the array are filled, and count as copied.
__device__ void load(const CUtensorMap *map, int x, int y, void *box, int bytes,
                     uint64_t *barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)),
               "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(address(box)),
      "l"(map), "r"(x), "r"(y), "r"(address(barrier))
      : "memory");
}

__device__ void wait(uint64_t *barrier, int parity) {
  int done = 0;
  while (!done) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.s32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(address(barrier)), "r"(parity)
        : "memory");
  }
}

}  // namespace
