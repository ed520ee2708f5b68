extern "C" __global__ void row_means(const float *matrix, float *means, int columns) {
  __shared__ float parts[64];
  int lane = threadIdx.x, row = blockIdx.x;
  float sum = 0;
  for (int j = lane; j < columns; j += 64)
    sum += matrix[row * columns + j];
  parts[lane] = sum;
  __syncthreads;
  for (int half = 32; half >= 1; half >>= 1) {
    if (lane < half) parts[lane] += parts[lane + half];
    __syncthreads();
  }
  if (lane == 0) means[row] = parts[0] / columns;
}
