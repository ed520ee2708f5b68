// MISTAKE: line 10 overwrites tile[t + 1] while its neighbours still read it
extern "C" __global__ void smooth(const float *x, float *y, int n) {
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[t + 1] = x[i];
    if (t == 0 && i > 0 && i < n) tile[0] = x[i - 1];
    if (t == 63 && i + 1 < n) tile[65] = x[i + 1];
    __syncthreads();
    if (i > 0 && i < n - 1)
        tile[t + 1] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.0f;
    __syncthreads();
    if (i < n) y[i] = tile[t + 1];
}
