extern "C" __global__ void keep_positive(const int *numbers, int *kept, int *count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && numbers[i] > 0) kept[atomicAdd(count, 1)] = numbers[i];
}
