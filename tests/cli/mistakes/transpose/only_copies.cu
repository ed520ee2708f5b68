// MISTAKE: line 7 stores each element where it was, so nothing is transposed
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = 0; j < 32; j += 8) {
        int y = blockIdx.y * 32 + threadIdx.y + j;
        if (x < width && y < height)
            b[y * width + x] = a[y * width + x];
    }
}
