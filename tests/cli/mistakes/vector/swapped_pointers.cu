// MISTAKE: line 2 has z in the place of x: the types fit, but the kernel writes to the input x
extern "C" __global__ void linear_combination(float a, float *z, float b, const float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
