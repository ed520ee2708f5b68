// MISTAKE: line 4 adds to the input x and not to bins
extern "C" __global__ void histogram(int *x, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&x[x[i] >> 26], 1);
}
