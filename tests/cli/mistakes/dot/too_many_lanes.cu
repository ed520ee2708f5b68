// MISTAKE: line 12 lets all 32 lanes read part, of which only the two of the two warps were written
extern "C" __global__ void dot(const float *x, const float *y, float *result, int n) {
    __shared__ float part[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int step = blockDim.x * gridDim.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += step) sum += x[i] * y[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = part[lane];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0) atomicAdd(result, sum);
    }
}
