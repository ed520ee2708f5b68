extern "C" __global__ void reverse(int *values, int n) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a < n) {
    int swap = values[a];
    values[a] = values[n - 1 - a];
    values[n - 1 - a] = swap;
  }
}
