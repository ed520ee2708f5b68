// MISTAKE: line 5 says i + stride in place of i += stride, so the loop never ends
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n)
{
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i + stride) {
        z[i] = a * x[i] + b * y[i];
    }
}
