// The transpose of a height x width matrix, in blocks of 32 x 8 threads.

// One thread for each element: neighbours read neighbours, but write a whole column apart.
extern "C" __global__ void naive(const float *a, float *b, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) b[x * height + y] = a[y * width + x];
}

// A block moves a tile through shared memory, so that it reads rows and writes rows. Columns of the
// tile lie in one bank unless a row has one element more.
template <int padding>
__global__ void tiled(const float *a, float *b, int width, int height) {
  constexpr int size = 32, rows = 8;
  __shared__ float tile[size][size + padding];
  int x = blockIdx.x * size + threadIdx.x, y = blockIdx.y * size + threadIdx.y;
  for (int j = 0; j < size; j += rows)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * size + threadIdx.x;  // the tile's place in the result
  y = blockIdx.x * size + threadIdx.y;
  for (int j = 0; j < size; j += rows)
    if (x < height && y + j < width) b[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
