#include <cuda_runtime.h>
const int TILE_DIM = 16;
const int BLOCK_ROWS = 16;

extern "C" __global__ void transpose(float *odata, const float *idata, int height, int width)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (xIndex < width && yIndex + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(yIndex + j) * width + xIndex];

    __syncthreads();

    xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (xIndex < height && yIndex + j < width)
            odata[(yIndex + j) * height + xIndex] = tile[threadIdx.x][threadIdx.y + j];
}
