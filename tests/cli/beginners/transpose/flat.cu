// Over the elements of the result, one after another.
__host__ __device__ inline int flat(int row, int column, int width) { return row * width + column; }

extern "C" __global__ void transpose(float *out, const float *src, int rows, int columns) {
  const int threads_in_block = blockDim.x * blockDim.y;
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int thread = block * threads_in_block + threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = thread; i < rows * columns; i += threads_in_block * gridDim.x * gridDim.y)
    out[i] = src[flat(i % rows, i / rows, columns)];
}
