extern "C" __global__ void squares(int *result, const int *numbers, unsigned size) {
  unsigned me = threadIdx.x + blockDim.x * blockIdx.x;
  if (me < size) result[me] = numbers[me] ^ 2;
}
