// MISTAKE: line 4 multiplies blockIdx.x by gridDim.x, the number of blocks, and not by blockDim.x
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
