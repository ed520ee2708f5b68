// MISTAKE: line 5 keeps the result in an int, which cuts off the digits after the point
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = a * x[i] + b * y[i];
        z[i] = value;
    }
}
