// MISTAKE: line 5 reads z[i], the output, where y[i] is meant
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * z[i];
}
