// Blocks and warps of CUB with parts that are not full, and latches and semaphores of the standard library.
//@ least 80
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

// Threads past the end have nothing: what they give to the reduction no result depends on.
//@ good sum_of_as_many_as_there_are grid=2 block=64 args="float32[100]= float32[2] 100:int32"
extern "C" __global__ void sum_of_as_many_as_there_are(const float* a, float* b, int n) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage room;
  int i = blockIdx.x * 64 + threadIdx.x;
  float v;
  if (i < n) v = a[i];
  float sum = Reduce(room).Sum(v, min(64, n - (int)blockIdx.x * 64));
  if (threadIdx.x == 0) b[blockIdx.x] = sum;
}

//@ good sum_of_what_shared_memory_has_so_far block=64 args="float32[40]= float32[1] 40:int32"
extern "C" __global__ void sum_of_what_shared_memory_has_so_far(const float* a, float* b, int n) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage room;
  __shared__ float s[64];
  if (threadIdx.x < n) s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float sum = Reduce(room).Sum(s[threadIdx.x], n);
  if (threadIdx.x == 0) *b = sum;
}

//@ good warps_of_which_the_last_is_not_full block=64 args="int32[45]= int32[2] int32[64] 45:int32"
extern "C" __global__ void warps_of_which_the_last_is_not_full(const int* a, int* sums, int* ranks, int n) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage reducing[2];
  __shared__ typename Scan::TempStorage scanning[2];
  int warp = threadIdx.x / 32, valid = min(32, n - 32 * warp);
  int v = threadIdx.x < n ? a[threadIdx.x] : 0;
  int sum = Reduce(reducing[warp]).Sum(v, valid), rank, total;
  Scan(scanning[warp]).ExclusiveSum(v, rank, total);
  if (threadIdx.x % 32 == 0) sums[warp] = sum + total;
  ranks[threadIdx.x] = rank;
}

//@ good loaded_sorted_and_stored_in_pieces grid=2 block=32 args="int32[200]= int32[200] int32[200] 200:int32"
extern "C" __global__ void loaded_sorted_and_stored_in_pieces(const int* a, int* b, int* heads, int n) {
  using Load = cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Sort = cub::BlockMergeSort<int, 32, 4>;
  using Heads = cub::BlockDiscontinuity<int, 32>;
  using Store = cub::BlockStore<int, 32, 4, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Heads::TempStorage heads;
    typename Store::TempStorage store;
  } room;
  int v[4], flags[4], base = blockIdx.x * 128, valid = min(128, n - base);
  Load(room.load).Load(a + base, v, valid, 1 << 30);
  for (int k = 0; k < 4; ++k) v[k] = v[k] == 1 << 30 ? v[k] : v[k] * 57 % 17;
  __syncthreads();
  Sort(room.sort).Sort(v, [](int x, int y) { return x < y; });
  __syncthreads();
  Heads(room.heads).FlagHeads(flags, v, [](int x, int y) { return x != y; });
  __syncthreads();
  Store(room.store).Store(b + base, v, valid);
  __syncthreads();
  Store(room.store).Store(heads + base, flags, valid);
}

//@ good sort_of_a_part_of_a_warp block=32 args="int32[50]= int32[50] 50:int32"
extern "C" __global__ void sort_of_a_part_of_a_warp(const int* a, int* b, int n) {
  using Sort = cub::WarpMergeSort<int, 2, 32>;
  __shared__ typename Sort::TempStorage room;
  int v[2];
  for (int k = 0; k < 2; ++k)
    if ((int)threadIdx.x * 2 + k < n) v[k] = a[threadIdx.x * 2 + k] * 31 % 53;
  Sort(room).Sort(v, [](int x, int y) { return x < y; }, n, 1 << 30);
  for (int k = 0; k < 2; ++k)
    if ((int)threadIdx.x * 2 + k < n) b[threadIdx.x * 2 + k] = v[k];
}

//@ good histogram_and_exchange_of_cub block=64 args="uint8[128]= uint32[16] int32[128]"
extern "C" __global__ void histogram_and_exchange_of_cub(const unsigned char* a, unsigned* bins, int* b) {
  using Histogram = cub::BlockHistogram<unsigned char, 64, 2, 16, cub::BLOCK_HISTO_ATOMIC>;
  using Exchange = cub::BlockExchange<int, 64, 2>;
  __shared__ typename Histogram::TempStorage room;
  __shared__ typename Exchange::TempStorage other;
  __shared__ unsigned counts[16];
  unsigned char v[2] = {(unsigned char)(a[threadIdx.x] % 16), (unsigned char)(a[64 + threadIdx.x] % 16)};
  Histogram(room).Histogram(v, counts);
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
  int w[2] = {v[0], v[1]};
  Exchange(other).StripedToBlocked(w, w);
  b[2 * threadIdx.x] = w[0];
  b[2 * threadIdx.x + 1] = w[1];
}

//@ good latch_that_all_count_down block=64 args="int32[64]= int32[64]"
extern "C" __global__ void latch_that_all_count_down(const int* a, int* b) {
  __shared__ __align__(8) unsigned char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
  __shared__ int s[64];
  auto* latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(room);
  if (threadIdx.x == 0) new (latch) cuda::latch<cuda::thread_scope_block>(64);
  __syncthreads();
  s[threadIdx.x] = a[threadIdx.x];
  latch->count_down();
  if (threadIdx.x % 2 == 0) {
    latch->wait();
    b[threadIdx.x] = s[63 - threadIdx.x];
  }
}

//@ good semaphore_that_lets_one_in grid=3 block=2 args="int32[4]=0 int32[1]=0"
// Made by the first block; the others wait for its word.
extern "C" __global__ void semaphore_that_lets_one_in(int* room, int* sum) {
  using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
  auto* semaphore = reinterpret_cast<Semaphore*>(room + 2);
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(room[0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    new (semaphore) Semaphore(1);
    ready.store(1, cuda::memory_order_release);
  }
  while (ready.load(cuda::memory_order_acquire) == 0) {}
  semaphore->acquire();
  *sum += 1;
  semaphore->release();
}

//@ bug sum_of_more_than_there_are uninitialised block=64 args="float32[40]= float32[1] 40:int32" origin=shared
extern "C" __global__ void sum_of_more_than_there_are(const float* a, float* b, int n) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage room;
  __shared__ float s[64];
  if (threadIdx.x < n) s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float sum = Reduce(room).Sum(s[threadIdx.x], n + 1);
  if (threadIdx.x == 0) *b = sum;  //! thread=0 count=1
}
