// MISTAKE: line 5 shifts left before it shifts right, which overflows 32 bits, so the bin is too small or negative
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bin = (x[i] << 4) >> 30;   // x * 16 / 2^30
    atomicAdd(&bins[bin], 1);
}
