extern "C" __global__ void linear_combination(const float a, const float *const x, const float b,
                                              const float *const y, float *const z, const int n) {
  const dim3 block = blockDim;
  const uint3 thread = threadIdx;
  const int i{static_cast<int>(blockIdx.x * block.x + thread.x)};
  if (not(i < n)) { return; }
  z[i] = a * x[i] + b * y[i];
}
