// MISTAKE: line 4 takes threadIdx.y, which is 0 in blocks of one row, and not threadIdx.x
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.y;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
