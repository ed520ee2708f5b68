// Every thread moves its elements, whether the matrix has them or not.
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8)
    b[x * height + y] = a[y * width + x];
}
