// MISTAKE: line 5 goes on by blockDim.x only, so each block does elements of others again
extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
    __shared__ float part[64];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) sum += x[i] * y[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (int t = 0; t < 64; t++) total += part[t];
        atomicAdd(result, total);
    }
}
