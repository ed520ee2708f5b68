#include <stdio.h>
#include <cuda_runtime.h>

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < (int)n)
    {
        d_a[tid] = factor * d_a[tid];
    }
}
