// MISTAKE: lines 3 and 4 take the row from x and the column from y, but the grid is made the other way round
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        float sum = 0;
        for (int i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + col];
        c[row * n + col] = sum;
    }
}
