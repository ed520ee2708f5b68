extern "C" __global__
void to_fahrenheit(const float *celsius, float *fahrenheit, int count) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  float c = celsius[k];
  if (k < count) {
    fahrenheit[k] = 1.8f * c + 32.0f;
  }
}
