extern "C" __global__ void transpose(float *out, const float *src, int rows, int columns) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || col >= columns) return;
  out[col * rows + row] = src[row * columns + col];
}
