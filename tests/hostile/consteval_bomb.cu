// A constant expression that counts for hours.
__host__ __device__ constexpr unsigned count(unsigned long most) {
  unsigned sum = 0;
  for (unsigned long a = 0; a < most; ++a)
    for (unsigned long b = 0; b < most; ++b) sum += a * b;
  return sum;
}
template <unsigned K> struct Sum { static constexpr unsigned value = count(1UL << K); };
constexpr unsigned all = Sum<14>::value + Sum<20>::value + Sum<28>::value;
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (all == 1) n = 0;
  if (i < n) dst[i] = 2 * src[i];
}
