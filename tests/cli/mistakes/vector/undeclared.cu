// MISTAKE: line 4 uses idx, but the variable is called index
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) z[index] = a * x[index] + b * y[index];
}
