extern "C" __global__ void row_means(const float *matrix, float *means, int columns) {
  __shared__ float parts[64];
  const int lane = threadIdx.x;
  float sum = 0;
  for (int j = lane; j < columns; j += blockDim.x) sum += matrix[blockIdx.x * columns + j];
  parts[lane] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (lane < half) parts[lane] += parts[lane + half];
    __syncthreads();
  }
  if (lane == 0) means[blockIdx.x] = parts[0] / columns;
}
