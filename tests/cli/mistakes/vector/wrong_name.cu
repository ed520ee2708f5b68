// MISTAKE: line 2 calls the kernel linearCombination and not linear_combination
extern "C" __global__ void linearCombination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
