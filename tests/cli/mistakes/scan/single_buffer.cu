// MISTAKE: line 8 reads part[t - d] while its thread writes it, in the same line
extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = t > 0 && t < n ? x[t - 1] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t >= d) part[t] += part[t - d];
        __syncthreads();
    }
    if (t < n) y[t] = part[t];
}
