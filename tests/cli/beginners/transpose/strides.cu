extern "C" __global__ void transpose(float *out, const float *src, int rows, int columns) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += blockDim.y * gridDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns; c += blockDim.x * gridDim.x)
      *(out + c * rows + r) = *(src + r * columns + c);
}
