// MISTAKE: there is no __syncthreads() between setting the bins to 0 in line 5 and counting in line 6
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    __shared__ int local[16];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < 16) local[t] = 0;
    if (i < n) atomicAdd(&local[x[i] / (1 << 26)], 1);
    __syncthreads();
    if (t < 16) atomicAdd(&bins[t], local[t]);
}
