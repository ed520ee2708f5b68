extern "C" __global__ void reverse(int *values, int n) {
  const int left = blockIdx.x * blockDim.x + threadIdx.x;
  const int right = n - 1 - left;
  if (left >= right) return;
  const int kept = values[left];
  values[left] = values[right];
  values[right] = kept;
}
