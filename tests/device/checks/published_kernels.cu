// After kernels that are published and correct: llm.c, Rodinia, the toolkit's samples, blocks of CUB; and their usual slips.
//@ least 80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
namespace cg = cooperative_groups;

// llm.c, layernorm_forward_kernel3: a warp for each row.
//@ good layernorm_by_warps grid=3 block=64 args="float32[240]= float32[6] float32[6] float32[240] float32[40]= float32[40]= 5:int32 40:int32"
extern "C" __global__ void layernorm_by_warps(const float* inp, float* mean, float* rstd, float* out, const float* weight, const float* bias, int N, int C) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx >= N) return;
  const float* x = inp + idx * C;
  float sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float m = sum / C;
  if (warp.thread_rank() == 0) __stcs(mean + idx, m);
  sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += (x[i] - m) * (x[i] - m);
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float s = rsqrtf(sum / C + 1e-5f);
  if (warp.thread_rank() == 0) __stcs(rstd + idx, s);
  for (int c = warp.thread_rank(); c < C; c += warp.size()) __stcs(out + idx * C + c, s * (__ldcs(x + c) - m) * weight[c] + bias[c]);
}

// llm.c, softmax_forward_kernel4: the whole block for a row, maxima and sums of warps in shared memory.
//@ good softmax_by_blocks grid=2 block=96 shared=24 args="float32[200]= float32[200] 100:int32"
extern "C" __global__ void softmax_by_blocks(const float* inp, float* out, int C) {
  extern __shared__ float shared[];
  int idx = blockIdx.x, tid = threadIdx.x, warp = tid / 32, lane = tid % 32, warps = blockDim.x / 32;
  float *maxima = shared, *sums = shared + warps;
  const float* x = inp + idx * C;
  float most = -INFINITY;
  for (int i = tid; i < C; i += blockDim.x) most = fmaxf(most, x[i]);
  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_down_sync(0xffffffff, most, o));
  if (lane == 0) maxima[warp] = most;
  __syncthreads();
  if (tid == 0) {
    float v = maxima[0];
    for (int i = 1; i < warps; i++) v = fmaxf(v, maxima[i]);
    maxima[0] = v;
  }
  __syncthreads();
  float offset = maxima[0];
  for (int i = tid; i < C; i += blockDim.x) out[idx * C + i] = expf(x[i] - offset);
  float sum = 0.0f;
  for (int i = tid; i < C; i += blockDim.x) sum += out[idx * C + i];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (tid == 0) {
    float v = sums[0];
    for (int i = 1; i < warps; ++i) v += sums[i];
    sums[0] = v;
  }
  __syncthreads();
  for (int i = tid; i < C; i += blockDim.x) out[idx * C + i] /= sums[0];
}

// Rodinia, pathfinder: a pyramid of rows; who leaves the valid part computes no more.
//@ good pathfinder_pyramid grid=3 block=32 args="int32[256]= int32[64]= int32[64]"
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
extern "C" __global__ void pathfinder_pyramid(const int* wall, const int* src, int* results) {
  const int iteration = 4, border = 4, cols = 64, BLOCK_SIZE = 32;
  __shared__ int prev[BLOCK_SIZE], result[BLOCK_SIZE];
  int bx = blockIdx.x, tx = threadIdx.x;
  int small_block_cols = BLOCK_SIZE - iteration * 2;
  int blkX = small_block_cols * bx - border, blkXmax = blkX + BLOCK_SIZE - 1;
  int xidx = blkX + tx;
  int validXmin = (blkX < 0) ? -blkX : 0;
  int validXmax = (blkXmax > cols - 1) ? BLOCK_SIZE - 1 - (blkXmax - cols + 1) : BLOCK_SIZE - 1;
  int W = tx - 1, E = tx + 1;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool isValid = IN_RANGE(tx, validXmin, validXmax);
  if (IN_RANGE(xidx, 0, cols - 1)) prev[tx] = src[xidx];
  __syncthreads();
  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && isValid) {
      computed = true;
      int shortest = min(min(prev[W], prev[tx]), prev[E]);
      result[tx] = shortest + wall[cols * i + xidx];
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) prev[tx] = result[tx];
    __syncthreads();
  }
  if (computed) results[xidx] = result[tx];
}

// Rodinia, lud: the diagonal block in place.
//@ good lud_diagonal block=16 args="float32[256]="
extern "C" __global__ void lud_diagonal(float* m) {
  const int B = 16;
  __shared__ float shadow[B][B];
  for (int i = 0; i < B; i++) shadow[i][threadIdx.x] = m[i * B + threadIdx.x] + (i == threadIdx.x ? 100 : 0);
  __syncthreads();
  for (int i = 0; i < B - 1; i++) {
    if (threadIdx.x > i) {
      for (int j = 0; j < i; j++) shadow[threadIdx.x][i] -= shadow[threadIdx.x][j] * shadow[j][i];
      shadow[threadIdx.x][i] /= shadow[i][i];
    }
    __syncthreads();
    if (threadIdx.x > i)
      for (int j = 0; j < i + 1; j++) shadow[i + 1][threadIdx.x] -= shadow[i + 1][j] * shadow[j][threadIdx.x];
    __syncthreads();
  }
  for (int i = 1; i < B; i++) m[i * B + threadIdx.x] = shadow[i][threadIdx.x];
}

// Rodinia, nw: a wavefront over a tile, there and back.
//@ good needleman_wunsch_tile block=16 args="int32[289]= int32[256]="
extern "C" __global__ void needleman_wunsch_tile(int* items, const int* similarity) {
  const int B = 16, penalty = 10;
  __shared__ int temp[B + 1][B + 1], ref[B][B];
  int tx = threadIdx.x;
  if (tx == 0) temp[tx][0] = items[0];
  for (int ty = 0; ty < B; ty++) ref[ty][tx] = similarity[ty * B + tx];
  __syncthreads();
  temp[tx + 1][0] = items[(tx + 1) * (B + 1)];
  __syncthreads();
  temp[0][tx + 1] = items[tx + 1];
  __syncthreads();
  for (int m = 0; m < B; m++) {
    if (tx <= m) {
      int x = tx + 1, y = m - tx + 1;
      temp[y][x] = max(max(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty), temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int m = B - 2; m >= 0; m--) {
    if (tx <= m) {
      int x = tx + B - m, y = B - tx;
      temp[y][x] = max(max(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty), temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int ty = 0; ty < B; ty++) items[(ty + 1) * (B + 1) + tx + 1] = temp[ty + 1][tx + 1];
}

// Tiles at the edge of a matrix are not filled up with zeros: what has no value reaches no element that is stored.
//@ good product_whose_edge_tiles_are_not_filled grid=2x2 block=16x16 args="float32[540]= float32[600]= float32[360]"
extern "C" __global__ void product_whose_edge_tiles_are_not_filled(const float* a, const float* b, float* c) {
  const int rows = 18, inner = 30, columns = 20;
  __shared__ float x[16][16], y[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < inner; k += 16) {
    if (row < rows && k + threadIdx.x < inner) x[threadIdx.y][threadIdx.x] = a[row * inner + k + threadIdx.x];
    if (k + threadIdx.y < inner && column < columns) y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * columns + column];
    __syncthreads();
    for (int i = 0; i < min(16, inner - k); i++) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

// A digit at a time, by a scan of its bits: as block-wide radix sorts of courses.
//@ good radix_sort_of_one_block block=64 args="uint32[64]= uint32[64]"
extern "C" __global__ void radix_sort_of_one_block(const unsigned* a, unsigned* b) {
  __shared__ unsigned keys[64], zeros[64];
  int t = threadIdx.x;
  keys[t] = a[t] * 37 % 64;
  for (int bit = 0; bit < 6; ++bit) {
    __syncthreads();
    unsigned key = keys[t], zero = ~key >> bit & 1;
    zeros[t] = zero;
    for (int step = 1; step < 64; step *= 2) {
      __syncthreads();
      unsigned v = t >= step ? zeros[t - step] : 0;
      __syncthreads();
      zeros[t] += v;
    }
    __syncthreads();
    unsigned before = zeros[t] - zero;
    keys[zero ? before : zeros[63] + t - before] = key;
  }
  __syncthreads();
  b[t] = keys[t];
}

//@ good blocks_of_cub grid=2 block=64 args="int32[256]= int32[256] int32[2]"
extern "C" __global__ void blocks_of_cub(const int* a, int* b, int* sums) {
  using Sort = cub::BlockRadixSort<int, 64, 2>;
  using Scan = cub::BlockScan<int, 64>;
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } room;
  int v[2], base = blockIdx.x * 128 + threadIdx.x * 2;
  for (int k = 0; k < 2; ++k) v[k] = a[base + k] * 57 % 101;
  Sort(room.sort).Sort(v);
  __syncthreads();
  Scan(room.scan).InclusiveSum(v, v);
  __syncthreads();
  int sum = Reduce(room.reduce).Sum(v);
  for (int k = 0; k < 2; ++k) b[base + k] = v[k];
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Rodinia, bfs: who finds a node first is the same to all; threads write one value.
//@ bug bfs_marks_a_node_from_two_sides race grid=2 block=4 args="int32[9]= int32[8]= int32[8]=0" severity=warning
extern "C" __global__ void bfs_marks_a_node_from_two_sides(const int* begin, const int* edges, int* cost) {
  int tid = blockIdx.x * 4 + threadIdx.x;
  for (int i = begin[tid]; i < begin[tid + 1]; i++) {
    int id = edges[i - 1] % 4;
    cost[id] = 1;  //!
  }
}

// Blelloch's scan: the last element is cleared while the way up may still add to it.
//@ bug scan_clears_the_total_too_early race block=64 args="int32[128]= int32[128]"
extern "C" __global__ void scan_clears_the_total_too_early(const int* a, int* b) {
  __shared__ int temp[128];
  int t = threadIdx.x, offset = 1;
  temp[2 * t] = a[2 * t];
  temp[2 * t + 1] = a[2 * t + 1];
  #pragma unroll 1
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];  //!
    offset *= 2;
  }
  if (t == 63) temp[127] = 0;  //~
  #pragma unroll 1
  for (int d = 1; d < 128; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1, v = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += v;
    }
  }
  __syncthreads();
  b[2 * t] = temp[2 * t];
  b[2 * t + 1] = temp[2 * t + 1];
}

//@ bug room_of_cub_used_again_at_once race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void room_of_cub_used_again_at_once(const int* a, int* b) {
  using Scan = cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage room;
  int v = a[threadIdx.x], w = 1 - v;
  Scan(room).InclusiveSum(v, v);
  Scan(room).InclusiveSum(w, w);  //!
  b[threadIdx.x] = v + w;
}
