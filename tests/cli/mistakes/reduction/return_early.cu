// MISTAKE: line 5 returns from threads without an element before the barriers
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    part[t] = x[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
