// MISTAKE: lines 12 to 17 add within a warp without __syncwarp() between them
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = (i < n) ? x[i] : 0;
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    // the last warp runs in lockstep, no barriers needed
    if (t < 32) {
        part[t] += part[t + 32];
        part[t] += part[t + 16];
        part[t] += part[t + 8];
        part[t] += part[t + 4];
        part[t] += part[t + 2];
        part[t] += part[t + 1];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
