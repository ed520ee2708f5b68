// A product of matrices on Hopper's tensor cores: tensor maps bring tiles of both factors, which wgmma
// multiplies as they lie in shared memory.
#include <cuda_fp16.h>

#include "box.cuh"

namespace {

constexpr int kHigh = 64, kWide = 128;  // a block's elements: rows of the one and of the other factor
constexpr int kDeep = 64;               // numbers of each row at a time
constexpr int kStep = 16;               // numbers of a row that one wgmma multiplies
constexpr int kEach = kHigh * kWide / 128;  // sums of a thread

// The descriptor of a tile whose rows are along the sum, 128 bytes each, with the swizzle of 128 bytes:
// groups of eight rows lie 1024 bytes apart. Addresses and distances are in units of 16 bytes.
__device__ uint64_t descriptor(const half *tile) {
  constexpr uint64_t kSwizzle128 = 1;
  return (address(tile) & 0x3FFFF) >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | kSwizzle128 << 62;
}

// sums += a b', of 16 numbers of each row.
__device__ void multiply(float (&d)[kEach], uint64_t a, uint64_t b) {
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, 0, 0;"
      : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
      : "l"(a), "l"(b));
#undef SIXTEEN
#undef FOUR
}

}  // namespace

// out = x y', where x and y have `depth` columns, and out rows x columns elements.
extern "C" __global__ void __launch_bounds__(128)
    product(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y, float *out,
            int rows, int columns, int depth) {
  __shared__ alignas(1024) half a[kHigh * kDeep], b[kWide * kDeep];
  __shared__ uint64_t arrived;
  const int row = blockIdx.y * kHigh, column = blockIdx.x * kWide;
  if (threadIdx.x == 0) init(&arrived, 2);
  __syncthreads();
  float sums[kEach] = {};
  for (int k = 0, parity = 0; k < depth; k += kDeep, parity ^= 1) {
    if (threadIdx.x == 0) {
      load(&x, k, row, a, sizeof a, &arrived);
      load(&y, k, column, b, sizeof b, &arrived);
    }
    wait(&arrived, parity);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < kDeep; i += kStep) multiply(sums, descriptor(a + i), descriptor(b + i));
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
