// MISTAKE: lines 6 and 19 give each thread one element, so a row of more than 128 elements is not finished
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    __shared__ float part[128];
    int t = threadIdx.x;
    x += blockIdx.x * columns; y += blockIdx.x * columns;
    float mine = t < columns ? x[t] : -INFINITY;
    part[t] = mine; __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    float e = expf(mine - part[0]);
    __syncthreads();
    part[t] = e; __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < columns) y[t] = e / part[0];
}
