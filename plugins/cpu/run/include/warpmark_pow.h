// What device code gets of the host's <cmath> under nvcc, and NVRTC has not: pow of a float and a
// double. As templates, so that a program's own functions come before them.
template <int = 0>
__host__ __device__ inline double pow(float base, double exponent) {
  return pow(static_cast<double>(base), exponent);
}
template <int = 0>
__host__ __device__ inline double pow(double base, float exponent) {
  return pow(base, static_cast<double>(exponent));
}
