// MISTAKE: line 5 calls malloc for n elements in each thread, as on the CPU, and never frees them
#include <cstdlib>
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *tmp = (float *)malloc(n * sizeof(float));
    if (i < n) {
        tmp[i] = a * x[i] + b * y[i];
        z[i] = tmp[i];
    }
}
