// MISTAKE: there is no __syncthreads() between loading the tiles in lines 8 and 9 and using them in line 11
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float A[16][16], B[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int p = 0; p < k; p += 16) {
        A[ty][tx] = (row < m && p + tx < k) ? a[row * k + p + tx] : 0;
        B[ty][tx] = (p + ty < k && col < n) ? b[(p + ty) * n + col] : 0;
        for (int i = 0; i < 16; i++)
            sum += A[ty][i] * B[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
