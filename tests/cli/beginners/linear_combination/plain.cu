extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int idx = blockIdx.x*blockDim.x + threadIdx.x;
    if (idx < n) {
        z[idx] = a*x[idx] + b*y[idx];
    }
}
