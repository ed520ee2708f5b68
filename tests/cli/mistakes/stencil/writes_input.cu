// MISTAKE: line 5 writes the result into the input, which neighbours still read
extern "C" __global__ void smooth(float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
    if (i < n) y[i] = x[i];
}
