#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <stdio.h>

static const int THREADS = 64;
static constexpr float ZERO = 0.0f;

__global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = ZERO;
    if (i < n)
    {
        sum += a * x[i];
        sum += b * y[i];
        z[i] = sum;
    }
}
