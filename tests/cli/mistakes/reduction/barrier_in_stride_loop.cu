// MISTAKE: line 8 has a barrier in a loop that threads run a different number of times
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    part[t] = 0;
    for (int i = blockIdx.x * 128 + t; i < min(n, (blockIdx.x + 1) * 128); i += 64) {
        part[t] += x[i];
        __syncthreads();
        if (t >= 64) break;
    }
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
