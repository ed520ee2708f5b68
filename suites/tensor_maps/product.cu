// A product of matrices on Hopper's tensor cores: tensor maps bring tiles of both factors, which wgmma
// multiplies as they lie in shared memory.
#include <cuda_fp16.h>

#include "box.cuh"

namespace {

constexpr int kTile = 64;            // rows of either factor, and numbers of a row
constexpr int kStep = 16;            // numbers of a row that one wgmma multiplies
constexpr int kEach = kTile / 2;     // sums of a thread: a tile has 128 threads
constexpr int kBytes = kTile * kTile * sizeof(half);

// The descriptor of a tile whose rows are along the sum, 128 bytes each, with the swizzle of 128 bytes:
// groups of eight rows lie 1024 bytes apart. Addresses and distances are in units of 16 bytes.
__device__ uint64_t descriptor(const half *tile) {
  constexpr uint64_t kSwizzle128 = 1;
  return (address(tile) & 0x3FFFF) >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | kSwizzle128 << 62;
}

// sums += a b', of 16 numbers of each row.
__device__ void multiply(float (&d)[kEach], uint64_t a, uint64_t b) {
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, 1, 1, 1, 0, 0;"
      : FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28)
      : "l"(a), "l"(b));
#undef FOUR
}

}  // namespace

// out = x y', where x and y have `depth` columns, and out rows x columns elements.
extern "C" __global__ void __launch_bounds__(128)
    product(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y, float *out,
            int rows, int columns, int depth) {
  __shared__ alignas(1024) half a[kTile * kTile], b[kTile * kTile];
  __shared__ uint64_t arrived;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  if (threadIdx.x == 0) init(&arrived, 2);
  __syncthreads();
  float sums[kEach] = {};
  for (int k = 0, parity = 0; k < depth; k += kTile, parity ^= 1) {
    if (threadIdx.x == 0) {
      load(&x, k, row, a, kBytes, &arrived);
      load(&y, k, column, b, kBytes, &arrived);
    }
    wait(&arrived, parity);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < kTile; i += kStep) multiply(sums, descriptor(a + i), descriptor(b + i));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();  // before the tiles are overwritten
  }
  // Each warp has 16 rows; a thread has pairs of neighbours, eight rows and eight columns apart.
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < kEach; ++i) {
    const int r = row + threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
    const int c = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (r < rows && c < columns) out[r * columns + c] = sums[i];
  }
}
