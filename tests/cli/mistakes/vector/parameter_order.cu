// MISTAKE: line 2 has the parameters in another order than the assignment
extern "C" __global__ void linear_combination(const float *x, const float *y, float *z, float a, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
