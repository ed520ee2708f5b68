// MISTAKE: line 8 takes a[i * k + row] and b[col * n + i], the transposed matrices
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        float sum = 0;
        for (int i = 0; i < k; i++)
            sum += a[i * k + row] * b[col * n + i];
        c[row * n + col] = sum;
    }
}
