struct Range {
  unsigned first;
  unsigned step;
  __device__ Range() : first(blockIdx.x * blockDim.x + threadIdx.x), step(gridDim.x * blockDim.x) {}
};

typedef float Real;
using Count = unsigned int;
enum Answer { NO, YES };

__device__ Answer inside(unsigned i, Count n) { return i < n ? YES : NO; }

extern "C" __global__ void double_array(Real *d_a, Count n, Real factor) {
  Range range;
  unsigned i = range.first;
  while (inside(i, n) == YES) {
    d_a[i] *= factor;
    i += range.step;
  }
}
