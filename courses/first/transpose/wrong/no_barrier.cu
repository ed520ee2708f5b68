// Reads the tile before all of it was written.
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
  __shared__ float tile[32][33];  // the last column keeps columns in different banks
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < width && y + i < height) tile[threadIdx.y + i][threadIdx.x] = a[(y + i) * width + x];
  // no barrier: other threads may not have written their part of the tile
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < height && y + i < width) b[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
