extern "C" __global__ void block_sums(const float *x, float *sums, int n)
{
    __shared__ float cache[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = 0;
    if (i < n)
        mine = x[i];
    cache[threadIdx.x] = mine;
    __syncthreads();
    int step = blockDim.x / 2;
    while (step != 0)
    {
        if (threadIdx.x < step)
            cache[threadIdx.x] += cache[threadIdx.x + step];
        __syncthreads();
        step /= 2;
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = cache[0];
}
