// MISTAKE: line 5 asserts that n is a multiple of the block, which does not hold for other sizes
#include <cassert>
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(n % 64 == 0);
    if (i < n) z[i] = a * x[i] + b * y[i];
}
