// MISTAKE: line 5 asks i < n - 1, so the last element gets no value
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) z[i] = a * x[i] + b * y[i];
}
