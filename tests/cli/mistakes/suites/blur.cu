extern "C" __global__ void blur(const float *image, float *result, int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  float sum = 0;
  int pixels = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int x = column + dx, y = row + dy;
      if (x < 0 || x >= width || y < 0 || y >= height) continue;
      sum += image[y * width + x];
      ++pixels;
    }
  }
  result[row * width + column] = sum / pixels;
}
