extern "C" __global__
void to_fahrenheit(const float *celsius, float *fahrenheit, int count) {
  __shared__ float row[blockDim.x];
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    row[threadIdx.x] = 1.8f * celsius[k] + 32.0f;
    fahrenheit[k] = row[threadIdx.x];
  }
}
