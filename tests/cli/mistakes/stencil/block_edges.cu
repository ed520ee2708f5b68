// MISTAKE: lines 8 and 9 take the thread's own value for the neighbour at the edges of each block
extern "C" __global__ void smooth(const float *x, float *y, int n) {
    __shared__ float tile[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[t] = x[i];
    __syncthreads();
    if (i >= n) return;
    float left = t > 0 ? tile[t - 1] : tile[t];
    float right = t < 63 && i < n - 1 ? tile[t + 1] : tile[t];
    if (i == 0 || i == n - 1) y[i] = tile[t];
    else y[i] = (left + tile[t] + right) / 3.0f;
}
