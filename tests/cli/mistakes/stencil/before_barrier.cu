// MISTAKE: line 6 reads the neighbours before line 7 waits for them
extern "C" __global__ void smooth(const float *x, float *y, int n) {
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    for (int j = t; j < 66; j += 64) tile[j] = i + j - t - 1 >= 0 && i + j - t - 1 < n ? x[i + j - t - 1] : 0;
    float mean = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.0f;
    __syncthreads();
    if (i < n) y[i] = i == 0 || i == n - 1 ? x[i] : mean;
}
