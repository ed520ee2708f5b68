// Calls a function through a number.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float (*f)(float) = reinterpret_cast<float (*)(float)>(static_cast<unsigned long>(n) * 4096);
  if (i < n) dst[i] = f(src[i]);
}
