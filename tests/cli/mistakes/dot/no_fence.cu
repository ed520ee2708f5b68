// MISTAKE: line 13 stores the block's sum and line 14 counts it without __threadfence() between them
__device__ float partial[4];
__device__ unsigned int finished;

extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
    __shared__ float part[64];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += x[i] * y[i];
    part[threadIdx.x] = sum; __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 64; t++) sum += part[t];
        // the last block adds up the sums of all blocks
        partial[blockIdx.x] = sum;
        unsigned int before = atomicAdd(&finished, 1);
        if (before == gridDim.x - 1) {
            float total = 0;
            for (int b = 0; b < gridDim.x; b++)
                total += partial[b];
            *result = total;
            finished = 0;
        }
    }
}
