// MISTAKE: line 5 adds to z with +=, although an output has no values at first
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] += a * x[i] + b * y[i];
}
