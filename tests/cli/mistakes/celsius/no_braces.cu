extern "C" __global__
void to_fahrenheit(const float *celsius, float *fahrenheit, int count) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  float degrees;
  if (k < count)
    degrees = 1.8f * celsius[k];
    fahrenheit[k] = degrees + 32;
}
