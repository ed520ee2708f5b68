extern "C" __global__ void row_means(const float *matrix, float *means, int columns) {
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    atomicAdd(&means[blockIdx.x], matrix[blockIdx.x * columns + j] / columns);
}
