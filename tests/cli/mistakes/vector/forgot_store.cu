// MISTAKE: line 6 computes the result in a local variable, and nothing is stored in z
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float result = 0.0f;
    if (i < n) {
        result = a * x[i] + b * y[i];
    }
}
