// MISTAKE: line 8 shuffles inside of if (i < n), but its mask names all 32 lanes
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        for (int s = 16; s > 0; s /= 2)
            v += __shfl_down_sync(0xffffffff, v, s);
        if (t % 32 == 0) part[t / 32] = v;
    } else if (t % 32 == 0) {
        part[t / 32] = 0;
    }
    __syncthreads();
    if (t == 0) sums[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
