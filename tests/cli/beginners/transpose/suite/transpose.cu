extern "C" __global__ void transpose(float *out, const float *src, int rows, int columns) {
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < columns) out[c * rows + r] = src[r * columns + c];
}
