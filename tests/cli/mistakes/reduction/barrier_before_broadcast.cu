// MISTAKE: there is no barrier before line 13 reads the sum of line 10 in all threads
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = (i < n) ? x[i] : 0;
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s) part[t] += part[t + s];
    }
    float total = part[0];
    if (t == 127) sums[blockIdx.x] = total;
}
