extern "C" __global__ void keep_positive(const int *numbers, int *kept, int *count, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n && numbers[id] > 0) {
    atomicAdd(count, 1);
    kept[*count] = numbers[id];
  }
}
