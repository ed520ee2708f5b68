// Copies, without exchanging rows and columns.
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int y = blockIdx.y * 32 + threadIdx.y; y < min(blockIdx.y * 32 + 32, height); y += 8)
    if (x < width) b[y * width + x] = a[y * width + x];
}
