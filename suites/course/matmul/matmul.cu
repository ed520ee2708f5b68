// C = A B of row-major matrices: A is m x k, B is k x n.
#include <cuda_fp16.h>
#include <mma.h>

// One thread for each element of C. Each element of A and B is loaded by every thread that needs
// it.
extern "C" __global__ void naive(const float *a, const float *b, float *c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// A block of 16 x 16 threads loads tiles that all of its threads use, so each element is loaded
// once for 16 threads. Zeros stand for what is outside of the matrices. Without the barrier after
// the products (`wait` false), fast warps overwrite tiles that slow ones still read.
template <bool wait>
__global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  constexpr int size = 16;
  __shared__ float a_tile[size][size], b_tile[size][size];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * size + x, row = blockIdx.y * size + y;
  float sum = 0;
  for (int first = 0; first < k; first += size) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
    b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < size; ++i) sum += a_tile[y][i] * b_tile[i][x];
    if (wait) __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// Each of 16 x 16 threads computes 4 x 4 elements of a tile of 64 x 64, in registers: eight loads
// from shared memory serve 16 products, where they were two for each product.
extern "C" __global__ void register_tiled(const float *a, const float *b, float *c, int m, int n,
                                          int k) {
  constexpr int threads = 16, each = 4, size = threads * each, depth = 16;
  // A's tile is stored transposed; 4 more elements in a row spread its columns over the banks.
  __shared__ float a_tile[depth][size + 4], b_tile[depth][size];
  const int x = threadIdx.x, y = threadIdx.y, t = y * threads + x;
  const int left = blockIdx.x * size, top = blockIdx.y * size;
  float sum[each][each] = {};
  for (int first = 0; first < k; first += depth) {
    for (int i = t; i < size * depth; i += threads * threads) {
      const int a_row = i / depth, a_column = i % depth, b_row = i / size, b_column = i % size;
      a_tile[a_column][a_row] =
          top + a_row < m && first + a_column < k ? a[(top + a_row) * k + first + a_column] : 0;
      b_tile[b_row][b_column] =
          first + b_row < k && left + b_column < n ? b[(first + b_row) * n + left + b_column] : 0;
    }
    __syncthreads();
    for (int i = 0; i < depth; ++i) {
      float a_part[each], b_part[each];
      for (int j = 0; j < each; ++j) {
        a_part[j] = a_tile[i][y + j * threads];  // elements of a thread are 16 apart, so that
        b_part[j] = b_tile[i][x + j * threads];  // neighbours use neighbouring banks
      }
      for (int v = 0; v < each; ++v)
        for (int u = 0; u < each; ++u) sum[v][u] += a_part[v] * b_part[u];
    }
    __syncthreads();
  }
  for (int v = 0; v < each; ++v)
    for (int u = 0; u < each; ++u) {
      const int row = top + y + v * threads, column = left + x + u * threads;
      if (row < m && column < n) c[row * n + column] = sum[v][u];
    }
}

// Each warp computes a tile of 16 x 16 on tensor cores: one instruction for 16 x 16 x 16 products.
// m, n and k are multiples of 16.
extern "C" __global__ void tensor_core(const half *a, const half *b, float *c, int m, int n,
                                       int k) {
  namespace wmma = nvcuda::wmma;
  constexpr int size = 16;
  const int row = blockIdx.y * size;
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize * size;
  if (column >= n) return;  // the whole warp
  wmma::fragment<wmma::matrix_a, size, size, size, half, wmma::row_major> a_tile;
  wmma::fragment<wmma::matrix_b, size, size, size, half, wmma::row_major> b_tile;
  wmma::fragment<wmma::accumulator, size, size, size, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += size) {
    wmma::load_matrix_sync(a_tile, a + row * k + i, k);
    wmma::load_matrix_sync(b_tile, b + i * n + column, n);
    wmma::mma_sync(sum, a_tile, b_tile, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
