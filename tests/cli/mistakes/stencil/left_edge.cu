// MISTAKE: line 4 reads x[i - 1] for i == 0, too
extern "C" __global__ void smooth(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
    else if (i == n - 1) y[i] = x[i];
}
