// MISTAKE: line 5 adds to shared bins that nothing has set to 0
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    __shared__ int local[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[x[i] / (1 << 26)], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
