// Kernels that keep composites, and those that would fool a plain limit.
#pragma once

namespace warpmark {

// Copies of 4096 floats by 128 blocks of 32 threads: a few ways to be coalesced, and to seem so.
inline constexpr const char* kCopies = R"(
#define K extern "C" __global__ void
#define I int i = blockIdx.x * blockDim.x + threadIdx.x;
K plain(float *out, const float *src, int n) { I out[i] = src[i]; }
K four(float *out, const float *src, int n) {
  I
  if (i < n / 4) ((float4 *)out)[i] = ((const float4 *)src)[i];
}
K reversed(float *out, const float *src, int n) { I int j = i ^ 31; out[j] = src[j]; }
K strided(float *out, const float *src, int n) {
  I int j = i % 128 * 32 + i / 128;
  out[j] = src[j];
}
K one_lane(float *out, const float *src, int n) {
  I
  if (i % 32 == 0)
    for (int j = i; j < i + 32; j += 4) *(float4 *)(out + j) = *(const float4 *)(src + j);
}
K one_warp(float *out, const float *src, int n) {
  I
  if (i < 32)
    for (int j = i; j < n; j += 32) out[j] = src[j];
}
K twice(float *out, const float *src, int n) {
  I float a = src[i];
  float b = ((const volatile float *)src)[(i + 32) % n];
  out[i] = b == 12345.f ? a + 1 : a;
}
)";
inline constexpr const char* kCopySuite =
    "arguments:\n"
    "  out: {out: src.shape}\n"
    "  src: {in: 'rng.standard_normal(n)', dtype: float32}\n"
    "  n: {scalar: n}\n"
    "axes: {n: [4096]}\n"
    "launch: {block: 32, grid: n // 32}\n"
    "reference: {out: src}\n";

// Transpositions of 64 × 64 floats by blocks of 32 × 8 threads.
inline constexpr const char* kTranspositions = R"(
#define K extern "C" __global__ void
#define XY int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#define EACH for (int r = 0; r < 32; r += 8)
template <int width>
__device__ void tile(float *out, const float *src, int n) {
  __shared__ float tile[32][width];
  XY
  EACH tile[threadIdx.y + r][threadIdx.x] = src[(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  EACH out[(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
K padded(float *out, const float *src, int n) { tile<33>(out, src, n); }
K unpadded(float *out, const float *src, int n) { tile<32>(out, src, n); }
K turns(float *out, const float *src, int n) {  // one warp after the other
  __shared__ float tile[32][33];
  XY
#pragma unroll
  for (int turn = 0; turn < 8; ++turn) {
    if (threadIdx.y == turn) EACH tile[threadIdx.y + r][threadIdx.x] = src[(y + r) * n + x];
    __syncthreads();
  }
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  EACH out[(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
K diluted(float *out, const float *src, int n) {  // 2 ways, among wide loads that nobody needs
  __shared__ float4 idle[256];
  const float4 *mine = idle + threadIdx.y * 32 + threadIdx.x;
  idle[threadIdx.y * 32 + threadIdx.x] = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < 18; ++i) {
    float a, b, c, d;
    asm volatile("ld.volatile.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(mine));
  }
  tile<34>(out, src, n);
}
K thrice(float *out, const float *src, int n) {  // needs more passes than it must, all of them ideal
  __shared__ volatile float tile[32][33];
  XY
  EACH tile[threadIdx.y + r][threadIdx.x] = src[(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  EACH {
    float v = tile[threadIdx.x][threadIdx.y + r];
    v = tile[threadIdx.x][threadIdx.y + r];
    v = tile[threadIdx.x][threadIdx.y + r];
    out[(y + r) * n + x] = v;
  }
}
K naive(float *out, const float *src, int n) { XY EACH out[x * n + y + r] = src[(y + r) * n + x]; }
K detour(float *out, const float *src, int n) {  // a tile that no neighbour looks into
  __shared__ float own[8][32];
  XY
  EACH {
    own[threadIdx.y][threadIdx.x] = src[(y + r) * n + x];
    __syncwarp();
    out[x * n + y + r] = own[threadIdx.y][threadIdx.x];
  }
}
)";
inline constexpr const char* kTranspositionSuite =
    "arguments:\n"
    "  out: {out: src.shape}\n"
    "  src: {in: 'rng.standard_normal((n, n))', dtype: float32}\n"
    "  n: {scalar: n}\n"
    "axes: {n: [64]}\n"
    "launch: {block: [32, 8], grid: [n // 32, n // 32]}\n"
    "reference: {out: src.T}\n";

// Products of matrices of 64 × 64 floats by blocks of 16 × 16 threads.
inline constexpr const char* kProducts = R"(
#define K extern "C" __global__ void
#define XY int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
K tiled(float *c, const float *a, const float *b, int n) {
  __shared__ float s[16][16], t[16][16];
  XY float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
K naive(float *c, const float *a, const float *b, int n) {
  XY float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
K lonely(float *c, const float *a, const float *b, int n) {  // few loads, because few threads
  XY
  if (threadIdx.x || threadIdx.y) return;
  for (int v = y; v < y + 16; ++v)
    for (int u = x; u < x + 16; ++u) {
      float sum = 0;
      for (int k = 0; k < n; k += 4) {
        const float4 f = *(const float4 *)(a + v * n + k);
        sum += f.x * b[k * n + u] + f.y * b[(k + 1) * n + u] + f.z * b[(k + 2) * n + u] +
               f.w * b[(k + 3) * n + u];
      }
      c[v * n + u] = sum;
    }
}
)";
inline constexpr const char* kProductSuite =
    "arguments:\n"
    "  c: {out: a.shape}\n"
    "  a: {in: 'rng.integers(0, 8, (n, n))', dtype: float32}\n"
    "  b: {in: 'rng.integers(0, 8, (n, n))', dtype: float32}\n"
    "  n: {scalar: n}\n"
    "axes: {n: [64]}\n"
    "launch: {block: [16, 16], grid: [n // 16, n // 16]}\n"
    "reference: {c: a @ b}\n";

// Inclusive sums of n ints by one block of n threads.
inline constexpr const char* kScans = R"(
#define K extern "C" __global__ void
K tree(int *out, const int *src, int n) {  // up and down a tree: n additions each way
  extern __shared__ int s[];
  int i = threadIdx.x;
  s[i] = src[i];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    if (i < n / (2 * d)) s[(2 * i + 2) * d - 1] += s[(2 * i + 1) * d - 1];
    __syncthreads();
  }
  for (int d = n / 4; d > 0; d /= 2) {
    if (i < n / (2 * d) - 1) s[(2 * i + 3) * d - 1] += s[(2 * i + 2) * d - 1];
    __syncthreads();
  }
  out[i] = s[i];
}
K warps(int *out, const int *src, int n) {  // each warp alone, then the sums of the warps
  __shared__ int sums[32];
  int i = threadIdx.x, v = src[i];
  for (int d = 1; d < 32; d *= 2) {
    int left = __shfl_up_sync(~0u, v, d);
    if (i % 32 >= d) v += left;
  }
  if (i % 32 == 31) sums[i / 32] = v;
  __syncthreads();
  if (i == 0)
    for (int j = 1; j < n / 32; ++j) sums[j] += sums[j - 1];
  __syncthreads();
  out[i] = i < 32 ? v : v + sums[i / 32 - 1];
}
K every(int *out, const int *src, int n) {  // each adds up all before it
  int i = threadIdx.x, sum = 0;
  for (int j = 0; j <= i; ++j) sum += src[j];
  out[i] = sum;
}
)";
inline constexpr const char* kScanSuite =
    "arguments:\n"
    "  out: {out: src.shape}\n"
    "  src: {in: 'rng.integers(0, 100, n)', dtype: int32}\n"
    "  n: {scalar: n}\n"
    "axes: {n: [512]}\n"
    "launch: {block: n, shared: 4 * n}\n"
    "reference: {out: src.cumsum()}\n"
    "tolerance: exact\n";

}  // namespace warpmark
