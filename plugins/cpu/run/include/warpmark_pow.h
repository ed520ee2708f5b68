// The pow of a float and a double, which device code gets from the host's <cmath> under nvcc, and
// which NVRTC lacks. These are templates, so that a program's own functions are preferred.
template <int = 0>
__host__ __device__ inline double pow(float base, double exponent) {
  return pow(static_cast<double>(base), exponent);
}
template <int = 0>
__host__ __device__ inline double pow(double base, float exponent) {
  return pow(base, static_cast<double>(exponent));
}
