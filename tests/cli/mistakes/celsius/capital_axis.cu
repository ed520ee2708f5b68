extern "C" __global__
void to_fahrenheit(const float *celsius, float *fahrenheit, int count) {
  int k = blockIdx.X * blockDim.X + threadIdx.X;
  if (k < count)
    fahrenheit[k] = 1.8f * celsius[k] + 32.0f;
}
