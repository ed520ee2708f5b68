// MISTAKE: line 5 multiplies before it divides, which would overflow, but the compiler makes one exact division of the two (harmless here, by luck)
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bin = x[i] * 16 / (1 << 30);
    atomicAdd(&bins[bin], 1);
}
