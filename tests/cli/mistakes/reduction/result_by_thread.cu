// MISTAKE: line 12 writes to sums[threadIdx.x], which is sums[0] for each block
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = (i < n) ? x[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[threadIdx.x] = part[0];
}
