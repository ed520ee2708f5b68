// Each thread moves one element, but a tile has four for each.
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) b[x * height + y] = a[y * width + x];
}
