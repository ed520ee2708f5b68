extern "C" __global__ void row_means(const float *matrix, float *means, int columns) {
  __shared__ float of_warp[2];
  float sum = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    sum += matrix[blockIdx.x * columns + j];
  for (int d = 8; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) means[blockIdx.x] = (of_warp[0] + of_warp[1]) / columns;
}
