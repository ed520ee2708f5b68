// MISTAKE: line 10 halves the number of elements, which loses one whenever it is odd
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    __shared__ float part[128];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    int count = n - blockIdx.x * blockDim.x;   // elements of this block
    if (count > 128) count = 128;
    if (i < n) part[t] = x[i];
    __syncthreads();
    for (int s = count / 2; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
