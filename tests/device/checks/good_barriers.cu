// Correct: barriers, shuffles and votes as they may be used.
//@ least 80

//@ good return_without_barrier grid=2 block=64 args="int32[100] 100:int32"
extern "C" __global__ void return_without_barrier(int* a, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  a[i] = i;
}

//@ good whole_warps_leave block=96 args="int32[64]= int32[32]"
extern "C" __global__ void whole_warps_leave(const int* a, int* b) {
  __shared__ int s[64];
  if (threadIdx.x >= 64) return;
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) b[threadIdx.x] = s[threadIdx.x + 32];
}

//@ good barrier_in_uniform_branch grid=2 block=64 args="int32[128]= int32[128] 1:int32"
extern "C" __global__ void barrier_in_uniform_branch(const int* a, int* b, int n) {
  __shared__ int s[64];
  int i = threadIdx.x;
  if (blockIdx.x == n) {
    s[i] = a[i];
    __syncthreads();
    b[64 + i] = s[63 - i];
  } else {
    b[i] = a[i];
  }
}

//@ good barrier_in_uniform_loop block=64 args="int32[64]= int32[64] 5:int32"
extern "C" __global__ void barrier_in_uniform_loop(const int* a, int* b, int n) {
  __shared__ int s[64];
  int i = threadIdx.x, v = a[i];
  for (int round = 0; round < n; ++round) {
    s[i] = v;
    __syncthreads();
    v += s[(i + round) % 64];
    __syncthreads();
  }
  b[i] = v;
}

//@ good barrier_after_divergence block=64 args="int32[64]= int32[64]"
extern "C" __global__ void barrier_after_divergence(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  if (i % 3 == 0) s[i] = a[i];
  else if (i % 3 == 1) s[i] = -a[i];
  else s[i] = 0;
  __syncthreads();
  b[i] = s[i ^ 1];
}

//@ good counting_barriers block=96 args="int32[96]= int32[3]"
extern "C" __global__ void counting_barriers(const int* a, int* b) {
  int odd = __syncthreads_count(a[threadIdx.x] % 2);
  int all = __syncthreads_and(a[threadIdx.x] > 0), some = __syncthreads_or(a[threadIdx.x] > 95);
  if (threadIdx.x == 0) {
    b[0] = odd;
    b[1] = all;
    b[2] = some;
  }
}

//@ good shuffles_of_all_kinds block=64 args="int32[64]= int32[64]"
extern "C" __global__ void shuffles_of_all_kinds(const int* a, int* b) {
  int v = a[threadIdx.x];
  v += __shfl_up_sync(0xffffffff, v, 1) + __shfl_down_sync(0xffffffff, v, 2, 16);
  v += __shfl_xor_sync(0xffffffff, v, 4) + __shfl_sync(0xffffffff, v, 3, 8);
  b[threadIdx.x] = v;
}

//@ good shuffle_of_half_the_warp block=32 args="int32[32]= int32[32]"
extern "C" __global__ void shuffle_of_half_the_warp(const int* a, int* b) {
  int v = a[threadIdx.x];
  if (threadIdx.x < 16) v = __shfl_xor_sync(0x0000ffff, v, 1);
  else v = __shfl_xor_sync(0xffff0000, v, 2);
  b[threadIdx.x] = v;
}

//@ good mask_by_ballot block=64 args="int32[64]= int32[64]"
extern "C" __global__ void mask_by_ballot(const int* a, int* b) {
  int v = a[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffff, v % 5 != 0);
  if (v % 5 != 0) v = __shfl_sync(mask, v, __ffs(mask) - 1);
  b[threadIdx.x] = v;
}

//@ good mask_of_those_left block=64 args="int32[64]= int32[50] 50:int32"
extern "C" __global__ void mask_of_those_left(const int* a, int* b, int n) {
  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  int v = a[threadIdx.x];
  for (int step = 16; step; step /= 2) {
    int other = __shfl_down_sync(mask, v, step);
    if (threadIdx.x + step < n && threadIdx.x % 32 + step < 32) v += other;
  }
  b[threadIdx.x] = v;
}

//@ good votes_of_all_kinds block=64 args="int32[64]= int32[64]"
extern "C" __global__ void votes_of_all_kinds(const int* a, int* b) {
  int v = a[threadIdx.x];
  int all = __all_sync(0xffffffff, v > 0), some = __any_sync(0xffffffff, v > 40);
  b[threadIdx.x] = all + 2 * some + __popc(__ballot_sync(0xffffffff, v % 2));
}

//@ good reductions_of_a_warp block=64 args="uint32[64]= uint32[64]"
extern "C" __global__ void reductions_of_a_warp(const unsigned* a, unsigned* b) {
  unsigned v = a[threadIdx.x];
  b[threadIdx.x] = __reduce_add_sync(0xffffffff, v) + __reduce_max_sync(0xffffffff, v) + __reduce_or_sync(0xffffffff, v);
}

//@ good exchange_within_a_warp block=64 args="int32[64]= int32[64]"
extern "C" __global__ void exchange_within_a_warp(const int* a, int* b) {
  __shared__ int s[2][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  s[warp][lane] = a[threadIdx.x];
  __syncwarp();
  int v = s[warp][31 - lane];
  __syncwarp();
  s[warp][lane] = v * 2;
  __syncwarp();
  b[threadIdx.x] = s[warp][lane ^ 1];
}

//@ good exchange_in_a_half block=32 args="int32[32]= int32[32]"
extern "C" __global__ void exchange_in_a_half(const int* a, int* b) {
  __shared__ int s[32];
  int lane = threadIdx.x;
  unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  s[lane] = a[lane];
  __syncwarp(half);
  b[lane] = s[lane ^ 15];
}

//@ good tree_ends_in_a_warp block=128 args="int32[128]= int32[1]"
extern "C" __global__ void tree_ends_in_a_warp(const int* a, int* b) {
  __shared__ volatile int s[128];
  int i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  if (i < 64) s[i] = s[i] + s[i + 64];
  __syncthreads();
  if (i < 32) {
    int v = s[i] + s[i + 32];
    for (int step = 16; step; step /= 2) {
      s[i] = v;
      __syncwarp();
      v += s[(i + step) % 32];
      __syncwarp();
    }
    if (i == 0) *b = v;
  }
}

//@ good two_named_barriers block=64 args="int32[64]= int32[64]"
extern "C" __global__ void two_named_barriers(const int* a, int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  if (i < 32) {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    b[i] = s[31 - i];
  } else {
    asm volatile("bar.sync 2, 32;" ::: "memory");
    b[i] = s[95 - i];
  }
}

//@ good producer_and_consumer block=64 args="int32[256]= int32[256]"
extern "C" __global__ void producer_and_consumer(const int* a, int* b) {
  __shared__ int s[2][32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int k = 0; k < 8; ++k) {
      if (k >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + k % 2) : "memory");  // empty
      s[k % 2][lane] = a[k * 32 + lane];
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + k % 2) : "memory");  // full
    }
  } else {
    for (int k = 0; k < 8; ++k) {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + k % 2) : "memory");
      b[k * 32 + lane] = s[k % 2][31 - lane];
      if (k < 6) asm volatile("bar.arrive %0, 64;" ::"r"(3 + k % 2) : "memory");
    }
  }
}

//@ good specialised_warps block=96 args="int32[96]= int32[96]"
extern "C" __global__ void specialised_warps(const int* a, int* b) {
  __shared__ int s[96];
  int warp = threadIdx.x / 32;
  if (warp == 0) s[threadIdx.x] = a[threadIdx.x];
  else if (warp == 1) s[threadIdx.x] = a[threadIdx.x] * 2;
  else s[threadIdx.x] = a[threadIdx.x] * 3;
  asm volatile("barrier.sync 0;" ::: "memory");
  b[threadIdx.x] = s[(threadIdx.x + 32) % 96];
}

//@ good flag_within_a_block block=64 args="int32[32]= int32[32]"
extern "C" __global__ void flag_within_a_block(const int* a, int* b) {
  __shared__ int s[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    __threadfence_block();
    if (threadIdx.x == 0) flag = 1;
  } else {
    while (flag == 0) {}
    __threadfence_block();
    b[threadIdx.x - 32] = s[threadIdx.x - 32];
  }
}

//@ good triple_buffer block=64 args="int32[64]= int32[64]"
extern "C" __global__ void triple_buffer(const int* a, int* b) {
  __shared__ int s[3][64];
  int i = threadIdx.x, v = a[i];
  for (int k = 0; k < 9; ++k) {  // one barrier a round is enough for three buffers
    s[k % 3][i] = v;
    __syncthreads();
    v += s[k % 3][(i + 1) % 64];
  }
  b[i] = v;
}

//@ good scan_of_a_block grid=2 block=128 args="int32[256]= int32[256]"
extern "C" __global__ void scan_of_a_block(const int* a, int* b) {
  __shared__ int sums[4];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = blockIdx.x * 128 + threadIdx.x, v = a[at];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, step);
    if (lane >= step) v += other;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < 4; ++w) sums[w] += sums[w - 1];
  __syncthreads();
  b[at] = v + (warp > 0 ? sums[warp - 1] : 0);
}

//@ good transpose_of_tiles grid=2x2 block=16x16 args="float32[1024]= float32[1024]"
extern "C" __global__ void transpose_of_tiles(const float* a, float* b) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 16 + threadIdx.y) * 32 + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  b[(blockIdx.x * 16 + threadIdx.y) * 32 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

//@ good product_of_tiles grid=2x2 block=8x8 args="float32[256]= float32[256]= float32[256]"
extern "C" __global__ void product_of_tiles(const float* a, const float* b, float* c) {
  __shared__ float x[8][8], y[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; k += 8) {
    x[threadIdx.y][threadIdx.x] = a[row * 16 + k + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * 16 + column];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  c[row * 16 + column] = sum;
}

//@ good sort_of_pairs block=64 args="int32[128]= int32[128]"
extern "C" __global__ void sort_of_pairs(const int* a, int* b) {
  __shared__ int s[128];
  int i = threadIdx.x;
  s[i] = -a[i];
  s[i + 64] = -a[i + 64];
  for (int size = 2; size <= 128; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * i - (i & (stride - 1));
      bool up = (low & size) == 0;
      int x = s[low], y = s[low + stride];
      if ((x > y) == up) {
        s[low] = y;
        s[low + stride] = x;
      }
    }
  }
  __syncthreads();
  b[i] = s[i];
  b[i + 64] = s[i + 64];
}
