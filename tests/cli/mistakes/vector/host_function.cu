// MISTAKE: line 2 declares a helper without __device__, which the kernel calls in line 8
__host__ float combine(float a, float x, float b, float y) {
    return a * x + b * y;
}

extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = combine(a, x[i], b, y[i]);
}
