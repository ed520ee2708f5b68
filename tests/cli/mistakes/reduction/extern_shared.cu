// MISTAKE: line 3 declares an extern shared array, but the launch gives no dynamic shared memory
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    extern __shared__ float part[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = (i < n) ? x[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
