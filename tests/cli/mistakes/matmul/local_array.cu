// MISTAKE: line 7 writes k elements to a local array of 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float mine[16];   // my row of a
    if (row >= m || col >= n) return;
    for (int i = 0; i < k; i++) mine[i] = a[row * k + i];
    float sum = 0;
    for (int i = 0; i < k; i++) sum += mine[i] * b[i * n + col];
    c[row * n + col] = sum;
}
