// MISTAKE: line 8 goes on while s >= 0, and half of 0 is 0
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = (i < n) ? x[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s >= 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
