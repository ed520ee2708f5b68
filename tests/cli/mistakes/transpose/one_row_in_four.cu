// MISTAKE: lines 5 to 8 move one element a thread, but a block of 32 x 8 threads has a tile of 32 x 32 elements
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) {
        // row y, column x
        b[x * height + y] = a[y * width + x];
    }
}
