// MISTAKE: line 7 has the mask 0xffff, which names only 16 of the 32 lanes that execute it
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    for (int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(0xffff, v, s);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    if (t == 0) sums[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
