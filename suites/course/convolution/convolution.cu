// A filter of 7 x 7 over an image; outside of the image there are zeros. As in image processing and
// neural networks, the filter is not turned round.

constexpr int kRadius = 3, kSize = 2 * kRadius + 1;

// Every thread loads its part of the image and the whole filter from global memory.
extern "C" __global__ void naive(const float *image, const float *weights, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int v = 0; v < kSize; ++v)
    for (int u = 0; u < kSize; ++u) {
      const int row = y + v - kRadius, column = x + u - kRadius;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += weights[v * kSize + u] * image[row * width + column];
    }
  out[y * width + x] = sum;
}

// All threads of a warp need the same element of the filter at a time: constant memory is made for
// that. The block's part of the image, with a halo, is in shared memory.
__constant__ float weights[kSize * kSize];

extern "C" __global__ void tiled(const float *image, float *out, int width, int height) {
  constexpr int block_x = 32, block_y = 8;
  __shared__ float tile[block_y + 2 * kRadius][block_x + 2 * kRadius];
  const int left = blockIdx.x * block_x - kRadius, top = blockIdx.y * block_y - kRadius;
  for (int v = threadIdx.y; v < block_y + 2 * kRadius; v += block_y)
    for (int u = threadIdx.x; u < block_x + 2 * kRadius; u += block_x) {
      const int row = top + v, column = left + u;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      tile[v][u] = inside ? image[row * width + column] : 0;
    }
  __syncthreads();
  float sum = 0;
  for (int v = 0; v < kSize; ++v)
    for (int u = 0; u < kSize; ++u)
      sum += weights[v * kSize + u] * tile[threadIdx.y + v][threadIdx.x + u];
  const int x = blockIdx.x * block_x + threadIdx.x, y = blockIdx.y * block_y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = sum;
}
