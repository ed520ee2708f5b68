// MISTAKE: line 7 has a printf that was left in (harmless, only slow)
#include <cstdio>
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = a * x[i] + b * y[i];
        if (i < 4) printf("thread %d: z = %f\n", i, z[i]);
    }
}
