// MISTAKE: line 7 puts the right halo at tile[t + 1], where the thread's own element is, and not at tile[t + 2]
extern "C" __global__ void smooth(const float *x, float *y, int n) {
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[t + 1] = x[i];
    if (t == 0 && i > 0 && i < n) tile[0] = x[i - 1];
    if (t == 63 && i + 1 < n) tile[t + 1] = x[i + 1];
    __syncthreads();
    if (i >= n) return;
    if (i == 0 || i == n - 1) y[i] = tile[t + 1];
    else y[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.0f;
}
