extern "C" __global__
void to_fahrenheit(const float *celsius, float *fahrenheit, int count) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    fahrenheit[k] = 1.8f * celsius[k] + 32.0f;
    k += gridDim.x * blockDim.x;
  } while (k < count);
}
