// A function whose mangled name is of the size of a book.
template <class...> struct L {};
typedef L<int> L0;
typedef L<L0, L0, L0, L0, L0, L0, L0, L0, L0, L0, L0, L0> L1;
typedef L<L1, L1, L1, L1, L1, L1, L1, L1, L1, L1, L1, L1> L2;
typedef L<L2, L2, L2, L2, L2, L2, L2, L2, L2, L2, L2, L2> L3;
typedef L<L3, L3, L3, L3, L3, L3, L3, L3, L3, L3, L3, L3> L4;
typedef L<L4, L4, L4, L4, L4, L4, L4, L4, L4, L4, L4, L4> L5;
typedef L<L5, L5, L5, L5, L5, L5, L5, L5, L5, L5, L5, L5> L6;
typedef L<L6, L6, L6, L6, L6, L6, L6, L6, L6, L6, L6, L6> L7;
template <class T> __device__ __noinline__ float f(T *, float x) { return 2 * x; }
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = f<L7>(nullptr, src[i]);
}
