// MISTAKE: line 13 reads the buffer of the last round but one, because to and from are exchanged before it
extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ int part[2][256];
    int t = threadIdx.x, from = 0, to = 1;
    part[from][t] = t > 0 && t <= n ? x[t - 1] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        part[to][t] = part[from][t];
        if (t >= d) part[to][t] += part[from][t - d];
        __syncthreads();
        int swap = from; from = to; to = swap;
    }
    if (t < n) y[t] = part[to][t];
}
