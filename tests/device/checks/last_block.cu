// The last block to finish reads what all have written: with what puts that in order, and without.
#include <cuda/atomic>

//@ bug last_block_reads_bins_that_all_added_to race only=optimised grid=4 block=32 args="int32[32]=0 uint32[1]=0 int32[32]" hazard=read_after_write
extern "C" __global__ void last_block_reads_bins_that_all_added_to(int* bins, unsigned* count, int* out) {
  __shared__ bool last;
  atomicAdd(bins + (threadIdx.x * 5 + blockIdx.x) % 32, 1);  //~
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (last) out[threadIdx.x] = bins[threadIdx.x];  //! in_block=3
}

//@ bug last_thread_reads_a_maximum_of_all race only=optimised grid=3 block=64 args="int32[192]= int32[1]=0 uint32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void last_thread_reads_a_maximum_of_all(const int* a, int* best, unsigned* count, int* out) {
  atomicMax(best, a[blockIdx.x * 64 + threadIdx.x]);  //~
  if (atomicAdd(count, 1u) == 191) *out = *best * 2;  //! count=1
}

//@ bug fence_behind_the_ticket race grid=4 block=32 args="float32[128]= float32[4] uint32[1]=0 float32[1]" hazard=read_after_write
extern "C" __global__ void fence_behind_the_ticket(const float* a, float* part, unsigned* tickets, float* out) {
  float v = a[blockIdx.x * 32 + threadIdx.x];
  for (int step = 16; step; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = v;  //~
  unsigned ticket = atomicAdd(tickets, 1u);
  __threadfence();
  if (ticket != 3) return;
  float sum = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; ++i) sum += part[i];  //! in_block=3 thread=0 other_block=0
  *out = sum;
}

//@ bug last_block_counted_without_an_order race grid=4 block=32 args="int32[128] uint32[1]=0 int32[32]" hazard=read_after_write
extern "C" __global__ void last_block_counted_without_an_order(int* rows, unsigned* count, int* out) {
  __shared__ bool last;
  rows[blockIdx.x * 32 + threadIdx.x] = blockIdx.x + threadIdx.x;  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*count);
    last = done.fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  int sum = 0;
  #pragma unroll 1
  for (int i = 0; i < gridDim.x; ++i) sum += rows[i * 32 + threadIdx.x];  //! in_block=3 thread=0
  out[threadIdx.x] = sum;
}

//@ bug later_of_two_blocks_without_a_fence race grid=2 block=1 args="int32[2] int32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void later_of_two_blocks_without_a_fence(int* found, int* turn, int* out) {
  found[blockIdx.x] = 7 + blockIdx.x;  //~
  if (atomicExch(turn, 1) == 1) *out = found[0] + found[1];  //! in_block=1 other_block=0
}

//@ bug results_of_one_thread_of_each_block_are_fenced race grid=3 block=64 args="float32[192]= float32[192] uint32[1]=0 float32[1]" hazard=read_after_write
extern "C" __global__ void results_of_one_thread_of_each_block_are_fenced(const float* a, float* squares, unsigned* count, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  squares[i] = a[i] * a[i];  //~
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(count, 1u) != gridDim.x - 1) return;
  __threadfence();
  float sum = 0;
  #pragma unroll 1
  for (int k = 0; k < 192; ++k) sum += squares[k];  //! in_block=2 thread=0
  *out = sum;  //! uninitialised
}

//@ bug last_block_reads_bins_behind_fences race grid=4 block=32 args="int32[32]=0 uint32[1]=0 int32[32]" severity=warning name=order-by-barrier only=optimised
extern "C" __global__ void last_block_reads_bins_behind_fences(int* bins, unsigned* count, int* out) {
  __shared__ bool last;
  atomicAdd(bins + (threadIdx.x * 5 + blockIdx.x) % 32, 1);  //~
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  out[threadIdx.x] = bins[threadIdx.x];  //! hazard=read_after_write
}

//@ good last_block_counted_with_acquire_and_release grid=4 block=32 args="int32[128] uint32[1]=0 int32[32]"
extern "C" __global__ void last_block_counted_with_acquire_and_release(int* rows, unsigned* count, int* out) {
  __shared__ bool last;
  rows[blockIdx.x * 32 + threadIdx.x] = blockIdx.x + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*count);
    last = done.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += rows[i * 32 + threadIdx.x];
  out[threadIdx.x] = sum;
}

// As threadFenceReduction of the toolkit's samples: the last block sets the count back for the next launch.
__device__ unsigned retired = 0;
//@ good last_block_sets_the_count_back grid=5 block=64 args="float32[320]= float32[5]"
extern "C" __global__ void last_block_sets_the_count_back(const float* in, volatile float* out) {
  __shared__ float s[64];
  __shared__ bool last;
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (unsigned k = 32; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&retired, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (unsigned i = t; i < gridDim.x; i += blockDim.x) sum += out[i];
  s[t] = sum;
  __syncthreads();
  for (unsigned k = 32; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) {
    out[0] = s[0];
    retired = 0;
  }
}

//@ good two_rounds_of_last_blocks grid=6 block=32 args="int32[192]= uint32[4]=0 int32[6] int32[3] int32[1]"
// Pairs of blocks first, then the pairs: each last one goes on.
extern "C" __global__ void two_rounds_of_last_blocks(const int* a, unsigned* counts, volatile int* leaf, volatile int* pair, int* root) {
  int v = __reduce_add_sync(0xffffffff, a[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x != 0) return;
  leaf[blockIdx.x] = v;
  __threadfence();
  unsigned of = blockIdx.x / 2;
  if (atomicAdd(counts + of, 1u) != 1) return;
  __threadfence();
  pair[of] = leaf[2 * of] + leaf[2 * of + 1];
  __threadfence();
  if (atomicAdd(counts + 3, 1u) != 2) return;
  __threadfence();
  *root = pair[0] + pair[1] + pair[2];
}
