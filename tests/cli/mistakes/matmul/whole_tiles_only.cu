// MISTAKE: line 7 divides k / 16, so the last tile, which is not full, is left out
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float A[16][16], B[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int tile = 0; tile < k / 16; tile++) {
        A[ty][tx] = (row < m) ? a[row * k + tile * 16 + tx] : 0;
        B[ty][tx] = (col < n) ? b[(tile * 16 + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += A[ty][i] * B[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
