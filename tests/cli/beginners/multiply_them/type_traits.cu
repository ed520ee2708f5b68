#include <type_traits>
#include <limits>

template <typename T>
__device__ T product(T x, T y) {
  static_assert(std::is_floating_point<T>::value, "numbers with a point");
  static_assert(std::numeric_limits<T>::is_iec559, "as usual");
  return x * y;
}

extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dest[i] = product(a[i], b[i]);
}
