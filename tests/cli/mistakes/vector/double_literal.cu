// MISTAKE: line 5 has literals of type double, which is slow but right (harmless)
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    z[i] = 1.0 * a * x[i] + 1.0 * b * y[i];
}
