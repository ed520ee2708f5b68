#define SIDE 16
extern "C" __global__ void blur(const float *image, float *result, int width, int height) {
  __shared__ float tile[SIDE][SIDE];
  int px = blockIdx.x * SIDE + threadIdx.x;
  int py = blockIdx.y * SIDE + threadIdx.y;
  if (px < width && py < height) tile[py][px] = image[py * width + px];
  __syncthreads();
  if (px >= width || py >= height) return;
  float sum = 0;
  int pixels = 0;
  for (int y = py - 1; y <= py + 1; y++)
    for (int x = px - 1; x <= px + 1; x++)
      if (x >= 0 && x < width && y >= 0 && y < height) {
        sum += tile[y][x];
        pixels++;
      }
  result[py * width + px] = sum / pixels;
}
