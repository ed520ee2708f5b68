// MISTAKE: line 3 ends the recursion only for an empty range, and a range of one element is never divided further
__device__ float total(const float *x, int from, int to) {
    if (from >= to) return 0;
    int middle = (from + to) / 2;
    return total(x, from, middle) + total(x, middle, to);
}
extern "C" __global__ void block_sums(const float *x, float *sums, int n) {
    if (threadIdx.x == 0) {
        int first = blockIdx.x * blockDim.x;
        int last = min(first + (int)blockDim.x, n);
        sums[blockIdx.x] = total(x, first, last);
    }
}
