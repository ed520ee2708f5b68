// MISTAKE: line 12 assigns the block's sum to the result in place of adding it with atomicAdd
extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
    __shared__ float part[64];
    float sum = 0;
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) sum += x[i] * y[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (int t = 0; t < 64; t++) total += part[t];
        *result = total;
    }
}
