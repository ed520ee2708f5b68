// MISTAKE: line 4 multiplies by blockDim.y, which is 1, and not by blockDim.x
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.y + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
