// MISTAKE: line 4 counts with ++ although several threads have the same bin
extern "C" __global__ void histogram(const int *x, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[x[i] / (1 << 26)]++;
}
