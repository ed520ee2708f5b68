// MISTAKE: line 10 adds the value of thread 0 alone, as the tree of the block is missing
extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
    int t = threadIdx.x;
    int step = blockDim.x * gridDim.x;
    float product = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += step)
        product += x[i] * y[i];
    if (t == 0) atomicAdd(result, product);
}
