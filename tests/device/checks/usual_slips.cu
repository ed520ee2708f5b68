// Usual slips of reductions, tiles and tails, each beside a correct twin where the difference is small.
//@ least 80
#include <cuda_pipeline.h>

//@ bug warp_reduction_without_its_syncs race block=64 args="float32[64]= float32[1]"
extern "C" __global__ void warp_reduction_without_its_syncs(const float* a, float* b) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    #pragma unroll 1
    for (int o = 16; o > 0; o /= 2) {
      if (t < o) s[t] += s[t + o];  //! hazard=read_after_write thread=0
    }
    if (t == 0) *b = s[0];
  }
}

//@ good warp_reduction_with_its_syncs block=64 args="float32[64]= float32[1]"
extern "C" __global__ void warp_reduction_with_its_syncs(const float* a, float* b) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
    for (int o = 16; o > 0; o /= 2) {
      s[t] = v;
      __syncwarp();
      v += s[(t + o) % 64];
      __syncwarp();
    }
    if (t == 0) *b = v;
  }
}

//@ bug product_of_width_and_height_in_32_bits illegal_address block=1 args="int32[64]= int32[1] 65536:int32 32769:int32" access=read
extern "C" __global__ void product_of_width_and_height_in_32_bits(const int* a, int* b, int width, int height) {
  int last = width * height - 65536 * 32769;
  long long offset = last + (long long)(int)((unsigned)width * (unsigned)(height - 1));
  *b = a[offset];  //! thread=0
}

//@ bug four_at_a_time_from_an_odd_row misaligned_address block=4 args="float32[90]= float32[4]"
extern "C" __global__ void four_at_a_time_from_an_odd_row(const float* a, float* b) {
  const float4* row = (const float4*)(a + threadIdx.x * 22);  // rows of 22 numbers
  float4 v = row[0];  //! thread=1 count=2 bytes=16
  b[threadIdx.x] = v.x + v.y + v.z + v.w;
}

//@ good four_at_a_time_from_padded_rows block=4 args="float32[96]= float32[4]"
extern "C" __global__ void four_at_a_time_from_padded_rows(const float* a, float* b) {
  const float4* row = (const float4*)(a + threadIdx.x * 24);
  float sum = 0;
  for (int i = 0; i < 22 / 4; ++i) sum += row[i].x + row[i].y + row[i].z + row[i].w;
  for (int i = 22 / 4 * 4; i < 22; ++i) sum += a[threadIdx.x * 24 + i];
  b[threadIdx.x] = sum;
}

//@ bug tail_read_four_at_a_time illegal_address block=32 args="float32[102]= float32[32] 102:int32" access=read
extern "C" __global__ void tail_read_four_at_a_time(const float* a, float* b, int n) {
  int i = 4 * threadIdx.x;
  b[threadIdx.x] = 0;
  if (i < n) {
    float4 v = *(const float4*)(a + i);  //! thread=25 count=1 bytes=16
    b[threadIdx.x] = v.x + v.y + v.z + v.w;
  }
}

//@ bug bytes_counted_in_words_and_cleared_as_bytes race block=48 args="int32[32]=" hazard=write_after_write
// One bin of bytes in a word, another thread stores it as bytes.
extern "C" __global__ void bytes_counted_in_words_and_cleared_as_bytes(const int* a) {
  __shared__ unsigned bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[a[threadIdx.x] % 4], 1u << 8 * (threadIdx.x % 4));  //!
  else ((unsigned char*)bins)[threadIdx.x - 32] = 0;  //~
}

//@ bug flag_cleared_while_others_set_it_for_the_next_round race block=64 args="int32[256]= int32[64]"
extern "C" __global__ void flag_cleared_while_others_set_it_for_the_next_round(const int* a, int* b) {
  __shared__ int s[64], found;
  int t = threadIdx.x, sum = 0;
  if (t == 0) found = 0;
  __syncthreads();
  #pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    s[t] = a[64 * k + t];
    if (s[t] == 130) found = 1;  //! hazard=write_after_write thread=1 other_thread=0
    __syncthreads();
    sum += s[63 - t];
    if (found) break;
    __syncthreads();
    if (t == 0) found = 0;  //~
  }
  b[t] = sum;
}

//@ good loop_left_early_by_all block=64 args="int32[256]= int32[64]"
extern "C" __global__ void loop_left_early_by_all(const int* a, int* b) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 4; ++k) {
    s[t] = a[64 * k + t];
    bool found = __syncthreads_or(s[t] == 130);
    sum += s[63 - t];
    if (found) break;
    __syncthreads();
  }
  b[t] = sum;
}

//@ bug tail_of_shared_memory_reduced uninitialised grid=3 block=32 args="float32[70]= float32[3] 70:int32"
extern "C" __global__ void tail_of_shared_memory_reduced(const float* a, float* b, int n) {
  __shared__ float s[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = a[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float most = s[0];
    for (int k = 1; k < blockDim.x; ++k) most = fmaxf(most, s[k]);
    b[blockIdx.x] = most;  //! in_block=2 thread=0 count=1 origin=shared
  }
}

//@ bug double_buffer_one_round_ahead race block=64 args="float32[256]= float32[64]"
extern "C" __global__ void double_buffer_one_round_ahead(const float* a, float* b) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  s[0][t] = a[t];
  s[1][t] = 0;
  __syncthreads();
  #pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    if (k < 3) s[k % 2][t] = a[64 * (k + 1) + t];  //! hazard=write_after_read both_orders=True
    sum += s[k % 2][63 - t];  //~
    __syncthreads();
  }
  b[t] = sum;
}

//@ good double_buffer_in_turn block=64 args="float32[256]= float32[64]"
extern "C" __global__ void double_buffer_in_turn(const float* a, float* b) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  s[0][t] = a[t];
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) s[(k + 1) % 2][t] = a[64 * (k + 1) + t];
    sum += s[k % 2][63 - t];
    __syncthreads();
  }
  b[t] = sum;
}

//@ bug ticket_of_the_last_block_compared_with_one_less race grid=4 block=32 args="float32[128]= float32[4] float32[1] uint32[1]=0" hazard=write_after_read
// The last block but one takes itself for the last.
extern "C" __global__ void ticket_of_the_last_block_compared_with_one_less(const float* a, float* part, float* sum, unsigned* count) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = a[32 * blockIdx.x];  //! in_block=3 other_block=2
  __threadfence();
  if (atomicAdd(count, 1) == gridDim.x - 2) {
    __threadfence();
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += part[i];  //~
    *sum = total;  //! uninitialised in_block=2
  }
}

//@ bug staged_tile_waits_for_one_copy_less race block=32 args="float32[128]= float32[32]" hazard=read_after_write
extern "C" __global__ void staged_tile_waits_for_one_copy_less(const float* a, float* b) {
  __shared__ __align__(16) float tile[128];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) tile[32 * k + t] = 0;
  __syncwarp();
  __pipeline_memcpy_async(tile + 4 * t, a + 4 * t, 16);  //~
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  b[t] = tile[t] + tile[127 - t];  //! thread=0
  __pipeline_wait_prior(0);
}
