// MISTAKE: line 7 takes expf(x) without subtracting the row's maximum, which overflows to infinity
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    __shared__ float part[128];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * columns;
    float sum = 0;
    for (int i = t; i < columns; i += 128) sum += expf(row[i]);
    part[t] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    for (int i = t; i < columns; i += 128) {
        float total = part[0];
        y[blockIdx.x * columns + i] = expf(row[i]) / total;
    }
}
