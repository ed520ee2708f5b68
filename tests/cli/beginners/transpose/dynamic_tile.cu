// The shared memory that the launch gives.
extern __shared__ float tile[];
extern "C" __global__ void transpose(float *out, const float *src, int rows, int columns) {
  const int width = blockDim.x + 1;
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inside = c < columns && r < rows;
  if (inside) tile[threadIdx.y * width + threadIdx.x] = src[r * columns + c];
  __syncthreads();
  if (inside) out[c * rows + r] = tile[threadIdx.y * width + threadIdx.x];
}
