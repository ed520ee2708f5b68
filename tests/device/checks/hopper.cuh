// The parts of kernels for compute capability 9.0, as inline assembly: barriers in shared memory, copies in bulk and in
// boxes, their fences, and products of warpgroups. Macros stand at the line of their user, functions are inlined there.
#pragma once
typedef unsigned long long u64;
struct alignas(64) Map { unsigned char bytes[128]; };

__device__ __forceinline__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ unsigned in_block(const void* p, int rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
  return there;
}
__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// --- flags in global memory
__device__ __forceinline__ void raise(unsigned* flag) { asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }
__device__ __forceinline__ void await(const unsigned* flag) {
  unsigned seen = 0;
  while (seen == 0) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
}

// --- mbarriers
#define INIT(bar, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(bar)), "r"(n) : "memory")
#define INIT_FENCE asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define EXPECT(bar, n) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(at(bar)), "r"(n) : "memory")
#define ARRIVE(bar) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(bar)) : "memory")
#define ARRIVE_AT(bar, rank) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(bar, rank)) : "memory")
__device__ __forceinline__ bool is_over(const void* bar, int parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
  return done != 0;
}
__device__ __forceinline__ void wait_for(const void* bar, int parity) {
  while (!is_over(bar, parity)) {}
}
__device__ __forceinline__ void wait_in_cluster(const void* bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
  } while (!done);
}

// --- copies by the async proxy
#define BULK_IN(to, from, n, bar) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(n), "r"(at(bar)) : "memory")
#define BULK_IN_ALL(to, from, n, bar, blocks) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(at(to)), "l"(from), "r"(n), "r"(at(bar)), "h"((unsigned short)(blocks)) : "memory")
#define BULK_ACROSS(to, from, n, bar) asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(at(from)), "r"(n), "r"(bar) : "memory")
#define BULK_OUT(to, from, n) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(n) : "memory")
#define BULK_ADD(to, from, n) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(n) : "memory")
#define BOX_IN(to, map, x, y, bar) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(bar)) : "memory")
#define BOX_IN_ALL(to, map, x, y, bar, blocks) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(bar)), "h"((unsigned short)(blocks)) : "memory")
#define BOX_OUT(map, x, y, from) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(at(from)) : "memory")
#define COMMIT_BULK asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_BULK(n) asm volatile("cp.async.bulk.wait_group " #n ";" ::: "memory")
#define WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read " #n ";" ::: "memory")
#define COPY16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to)), "l"(from) : "memory")
#define WAIT_COPIES asm volatile("cp.async.wait_all;" ::: "memory")

// --- fences and barriers
#define PROXY asm volatile("fence.proxy.async;" ::: "memory")
#define PROXY_SHARED asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define PROXY_GLOBAL asm volatile("fence.proxy.async.global;" ::: "memory")
#define CLUSTER asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory")
#define MEET(id, n) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory")
#define MEET_ARRIVE(id, n) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory")
#define STORE_MATRICES(to, v) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at(to)), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory")

// --- products of warpgroups: rows of 32 bytes in groups of eight, by halves of 128 bytes, one behind the other
__device__ __forceinline__ u64 matrix_at(const void* p) {
  return (u64)((at(p) & 0x3ffff) >> 4) | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32;
}
// Rows of 128 bytes, whose pieces a tensor map has swizzled by 3 bits; groups of eight rows one behind the other.
__device__ __forceinline__ u64 swizzled_at(const void* p) {
  return (u64)((at(p) & 0x3ffff) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
#define MULTIPLY(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_REGISTERS(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory")
#define REGISTERS_INC(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";")
#define REGISTERS_DEC(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";")
struct alignas(128) Tiles { unsigned a[512], b[64]; };
