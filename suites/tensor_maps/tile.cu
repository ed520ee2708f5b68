// Tiles of matrices by tensor maps: one thread asks for a box, and an mbarrier tells all of them
// when it is there.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cstdint>

namespace {

constexpr int kTile = 32;  // elements of 4 bytes, so that a row takes the span of the swizzle

__device__ unsigned address(const void *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// `parts` loads fill a phase.
__device__ void init(uint64_t *barrier, int parts = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(parts)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Elements outside of the array are filled, and count as copied.
__device__ void load(const CUtensorMap *map, int x, int y, void *box, int bytes,
                     uint64_t *barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)),
               "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(address(box)),
      "l"(map), "r"(x), "r"(y), "r"(address(barrier))
      : "memory");
}

__device__ void wait(uint64_t *barrier, int parity) {
  int done = 0;
  while (!done) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.s32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(address(barrier)), "r"(parity)
        : "memory");
  }
}

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

#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // wgmma exists for sm_90a alone

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

#endif
