// MISTAKE: line 5 moves z to the block's part, and line 6 adds the block's offset again
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    int offset = blockIdx.x * blockDim.x;
    int i = offset + threadIdx.x;
    z += offset;  // start of this block
    if (i < n) z[i] = a * x[i] + b * y[i];
}
