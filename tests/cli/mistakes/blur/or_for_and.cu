extern "C" __global__ void blur(const float *image, float *result, int width, int height) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < width || py < height) {
    float sum = 0;
    int pixels = 0;
    for (int y = py - 1; y <= py + 1; y++)
      for (int x = px - 1; x <= px + 1; x++)
        if (x >= 0 && x < width && y >= 0 && y < height) {
          sum += image[y * width + x];
          pixels++;
        }
    result[py * width + px] = sum / pixels;
}
}
