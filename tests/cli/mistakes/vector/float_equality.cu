// MISTAKE: line 6 counts in steps of 0.1f until the counter is exactly 1.0f, which roundings never allow
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;   // ten steps of a tenth each
    for (float t = 0.0f; t != 1.0f; t += 0.1f)
        sum += 0.1f * (a * x[i] + b * y[i]);
    z[i] = sum;
}
