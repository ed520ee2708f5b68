// MISTAKE: line 8 is missing: the shared counts are never added to the result
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    __shared__ int local[16];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 16) local[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&local[x[i] >> 26], 1);
}
