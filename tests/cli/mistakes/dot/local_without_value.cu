// MISTAKE: line 5 declares product without a value, and threads without an element add it, too
extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
    int step = blockDim.x * gridDim.x;
    for (int start = 0; start < n; start += step) {
        float product;
        int i = start + blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) product = x[i] * y[i];
        atomicAdd(result, product);
    }
}
