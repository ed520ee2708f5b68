// MISTAKE: line 4 uses element i without asking whether i < n
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = a * x[i] + b * y[i];
}
