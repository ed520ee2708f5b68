// Defines a macro that a hidden case sets once more, so that the compiler names the first value.
#pragma push_macro("N")
#define N 64
#pragma pop_macro("N")
template <int K> [[deprecated]] __device__ int secret_value() { return K; }
extern "C" __global__ void twice(const float *src, float *dst) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) dst[i] = 2 * src[i] + secret_value<N>() * 0;
}
