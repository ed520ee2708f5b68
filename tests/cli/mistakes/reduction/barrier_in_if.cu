// MISTAKE: line 8 has __syncthreads() inside of if (i < n), which threads without an element do not reach
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i < n) {
        part[t] = x[i];
        __syncthreads();
    } else {
        part[t] = 0;
    }
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
