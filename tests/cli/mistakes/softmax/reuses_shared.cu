// MISTAKE: line 16 writes part[t] while other threads still read part[0] in line 13
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    __shared__ float part[128];
    int t = threadIdx.x;
    x += blockIdx.x * columns; y += blockIdx.x * columns;
    float m = -INFINITY;
    for (int i = t; i < columns; i += 128) m = fmaxf(m, x[i]);
    part[t] = m; __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    m = part[0];
    float sum = 0;
    for (int i = t; i < columns; i += 128) sum += expf(x[i] - m);
    part[t] = sum; __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    for (int i = t; i < columns; i += 128) y[i] = expf(x[i] - m) / part[0];
}
