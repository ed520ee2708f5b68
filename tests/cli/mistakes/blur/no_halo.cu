#define SIDE 16
extern "C" __global__ void blur(const float *image, float *result, int width, int height) {
  __shared__ float tile[SIDE][SIDE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int px = blockIdx.x * SIDE + tx, py = blockIdx.y * SIDE + ty;
  if (px < width && py < height) tile[ty][tx] = image[py * width + px];
  __syncthreads();
  if (px >= width || py >= height) return;
  float sum = 0;
  int pixels = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int x = px + dx, y = py + dy;
      if (x < 0 || x >= width || y < 0 || y >= height) continue;
      sum += tile[ty + dy][tx + dx];
      pixels++;
    }
  result[py * width + px] = sum / pixels;
}
