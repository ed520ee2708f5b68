// MISTAKE: the `;` in line 5 ends the if, so that all threads store
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n);
        z[i] = a * x[i] + b * y[i];
}
