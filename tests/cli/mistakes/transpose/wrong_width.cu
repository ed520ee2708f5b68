// MISTAKE: line 7 multiplies by width in b[x * width + y], but a row of the result has height elements
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = 0; j < 32; j += 8) {
        int y = blockIdx.y * 32 + threadIdx.y + j;
        if (x < width && y < height)
            b[x * width + y] = a[y * width + x];
    }
}
