// MISTAKE: line 4 reads y[i - 1], which another thread computes at the same time
extern "C" __global__ void scan(const int *x, int *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = i > 0 ? y[i - 1] + x[i - 1] : 0;
}
