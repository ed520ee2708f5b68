// A function whose name takes a demangler long.
template <class A, class B> struct P {};
typedef P<int, int> P0;
typedef P<P0, P0> P1;
typedef P<P1, P1> P2;
typedef P<P2, P2> P3;
typedef P<P3, P3> P4;
typedef P<P4, P4> P5;
typedef P<P5, P5> P6;
typedef P<P6, P6> P7;
typedef P<P7, P7> P8;
__device__ __noinline__ float f(P8 *, float x) {
  return 2 * x;
}
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = f(nullptr, src[i]);
}
