// Tiles of matrices by tensor maps.
#include "box.cuh"

namespace {

constexpr int kTile = 32;  // elements of 4 bytes, so that a row takes the span of the swizzle

// Elements outside of the array are not written.
__device__ void store(const CUtensorMap *map, int x, int y, const void *box) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(address(box))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Where an element of a tile lies: a swizzle of 128 bytes exchanges chunks of 16.
__device__ int place(int row, int column) {
#if defined(SWIZZLED) && SWIZZLED
  return row * kTile + ((column / 4) ^ (row % 8)) * 4 + column % 4;
#else
  return row * kTile + column;
#endif
}

}  // namespace

extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap source,
                                     const __grid_constant__ CUtensorMap target) {
  __shared__ alignas(1024) float in[kTile * kTile], out[kTile * kTile];
  __shared__ uint64_t arrived;
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  if (threadIdx.x == 0) init(&arrived);
  __syncthreads();
  if (threadIdx.x == 0) load(&source, x, y, in, sizeof in, &arrived);
  wait(&arrived, 0);
  for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x) {
    out[place(i / kTile, i % kTile)] = in[place(i % kTile, i / kTile)];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) store(&target, y, x, out);
}

// The sum of each element and its eight neighbours.
extern "C" __global__ void sum_of_nine(const __grid_constant__ CUtensorMap source, int *sums,
                                       int rows, int columns) {
  // One more on each side; a row of the box begins and ends at multiples of 16 bytes.
  constexpr int kSide = 16, kChunk = 4, kHigh = kSide + 2, kWide = kSide + 2 * kChunk;
  __shared__ alignas(128) int box[kHigh][kWide];
  __shared__ uint64_t arrived;
  const int x = blockIdx.x * kSide, y = blockIdx.y * kSide;
  const bool first = threadIdx.x == 0 && threadIdx.y == 0;
  if (first) init(&arrived);
  __syncthreads();
  if (first) load(&source, x - kChunk, y - 1, box, sizeof box, &arrived);
  wait(&arrived, 0);
  const int row = y + threadIdx.y, column = x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum += box[threadIdx.y + i][threadIdx.x + kChunk - 1 + j];
  }
  sums[row * columns + column] = sum;
}
