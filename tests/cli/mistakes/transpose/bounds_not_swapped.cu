// MISTAKE: line 14 asks for the bounds of the input where the result's rows and columns are meant
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    // write the transposed tile
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            b[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
