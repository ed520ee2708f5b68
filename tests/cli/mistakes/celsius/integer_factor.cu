extern "C" __global__
void to_fahrenheit(const float *celsius, float *fahrenheit, int count) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count)
    fahrenheit[k] = 9 / 5 * celsius[k] + 32;
}
