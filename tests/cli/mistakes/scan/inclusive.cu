// MISTAKE: line 12 stores the inclusive sum, which has the element itself in it
extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = t < n ? x[t] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int before = t >= d ? part[t - d] : 0;
        __syncthreads();
        part[t] += before; __syncthreads();
    }
    if (t < n) y[t] = part[t];
}
