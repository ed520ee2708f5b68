// Fails a static assertion in a name that holds a hidden macro's value, in hidden cases alone.
template <int K> struct Asked { static_assert(K <= 64, "asked"); static constexpr int value = K; };
extern "C" __global__ void twice(const float *src, float *dst) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Asked<N>::value) dst[i] = 2 * src[i];
}
