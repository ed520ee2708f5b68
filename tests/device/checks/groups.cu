// Cooperative groups as they are used: groups by labels, scans, records through shuffles, clusters; bulk copies that say a wrong size.
//@ least 90
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait_for(unsigned bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}

//@ bug bulk_copy_of_fewer_bytes_than_are_expected barrier block=1 args="float32[64]= float32[1]"
extern "C" __global__ void bulk_copy_of_fewer_bytes_than_are_expected(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar;
  asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at(&bar)) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at(&bar)) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(at(s)), "l"(a), "r"(at(&bar)) : "memory");
  wait_for(at(&bar), 0);  //!
  b[0] = s[3];
}

//@ bug bulk_copy_to_a_place_of_eight_bytes misaligned_address block=32 args="float32[64]= float32[32]"
extern "C" __global__ void bulk_copy_to_a_place_of_eight_bytes(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at(&bar)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(at(&bar)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(at(s + 2)), "l"(a), "r"(at(&bar)) : "memory");  //! thread=0
  }
  b[threadIdx.x] = 0;
}

//@ bug cluster_adds_before_all_have_cleared race grid=2 block=32 args="int32[64]= int32[2]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_adds_before_all_have_cleared(const int* a, int* b) {
  __shared__ int sum;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;  //!
  __syncthreads();
  int v = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), a[blockIdx.x * 32 + threadIdx.x], cg::plus<int>());
  if (threadIdx.x < 2) atomicAdd(cluster.map_shared_rank(&sum, threadIdx.x), v);  //~ //! uninitialised
  cluster.sync();
  if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

struct Item {
  char kind;
  int key;
  short count;
};
//@ good padded_records_through_shuffles block=32 args="int32[32]= int32[32]"
extern "C" __global__ void padded_records_through_shuffles(const int* a, int* b) {
  __shared__ Item items[32];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  items[threadIdx.x].kind = 1;
  items[threadIdx.x].key = a[threadIdx.x];
  items[threadIdx.x].count = 2;
  tile.sync();
  Item other = tile.shfl(items[threadIdx.x], 31 - threadIdx.x);
  b[threadIdx.x] = other.kind + other.key + other.count;
}

// Unions of a register: 12 bytes of which a shuffle takes three words; the padding in each is handed on, and used by nobody.
//@ good records_copied_word_by_word_through_shuffles block=32 args="int32[32]= int32[32]"
extern "C" __global__ void records_copied_word_by_word_through_shuffles(const int* a, int* b) {
  __shared__ Item items[32], turned[32];
  items[threadIdx.x].kind = (char)a[threadIdx.x];
  items[threadIdx.x].key = a[threadIdx.x];
  items[threadIdx.x].count = 2;
  __syncwarp();
  for (int k = 0; k < 3; ++k)
    ((int*)(turned + threadIdx.x))[k] = __shfl_xor_sync(0xffffffff, ((const int*)(items + threadIdx.x))[k], 5);
  b[threadIdx.x] = turned[threadIdx.x].kind + turned[threadIdx.x].count;
}

//@ good groups_by_labels block=64 args="int32[64]= int32[64]"
extern "C" __global__ void groups_by_labels(const int* a, int* b) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(tile, a[threadIdx.x] * 5 % 7);
  int sum = cg::reduce(same, a[threadIdx.x], cg::plus<int>());
  auto half = cg::binary_partition(same, sum % 2 == 0);
  b[threadIdx.x] = sum + half.thread_rank() + half.size();
}

//@ good scans_of_tiles block=64 args="int32[64]= int32[64] int32[64]"
extern "C" __global__ void scans_of_tiles(const int* a, int* b, int* c) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  b[threadIdx.x] = cg::inclusive_scan(tile, a[threadIdx.x]);
  c[threadIdx.x] = cg::exclusive_scan(tile, a[threadIdx.x], cg::greater<int>());
}

//@ good tiles_copied_a_step_ahead grid=2 block=64 args="float32[512]= float32[128]"
extern "C" __global__ void tiles_copied_a_step_ahead(const float* a, float* b) {
  __shared__ float s[2][64];
  auto block = cg::this_thread_block();
  const float* from = a + blockIdx.x * 256;
  float sum = 0;
  cg::memcpy_async(block, s[0], from, 256);
  for (int k = 0; k < 4; ++k) {
    if (k < 3) {
      cg::memcpy_async(block, s[(k + 1) % 2], from + 64 * (k + 1), 256);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += s[k % 2][63 - threadIdx.x];
    block.sync();
  }
  b[blockIdx.x * 64 + threadIdx.x] = sum;
}

//@ good sum_over_the_cluster_by_ranks grid=4 block=64 args="int32[256]= int32[4]"
extern "C" __global__ void __cluster_dims__(4, 1, 1) sum_over_the_cluster_by_ranks(const int* a, int* b) {
  __shared__ int parts[2], total;
  auto cluster = cg::this_cluster();
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = cg::reduce(tile, a[blockIdx.x * 64 + threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) parts[tile.meta_group_rank()] = v;
  cluster.sync();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
      const int* other = cluster.map_shared_rank(parts, rank);
      sum += other[0] + other[1];
    }
    total = sum;
  }
  cluster.sync();
  if (threadIdx.x == 63) b[blockIdx.x] = total + (int)cluster.query_shared_rank(cluster.map_shared_rank(&total, 3)) - 3;
}
