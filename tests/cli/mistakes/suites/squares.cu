extern "C" __global__ void squares(int *result, const int *numbers, unsigned size) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < size) result[g] = numbers[g] * numbers[g];
}
