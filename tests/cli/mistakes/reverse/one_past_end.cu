extern "C" __global__ void reverse(int *values, int n) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a < n / 2) {
    int swap = values[a];
    values[a] = values[n - a];
    values[n - a] = swap;
  }
}
