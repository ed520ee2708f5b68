// MISTAKE: nothing in the loop of line 5 changes i, so it never ends
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        z[i] = a * x[i] + b * y[i];
    }
}
