// MISTAKE: line 5 counts an unsigned i down while i >= 0, which is always true, so i wraps to 4294967295
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y, float *z, int n) {
    // one thread does everything, from the back
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (unsigned int i = n - 1; i >= 0; i--)
            z[i] = a * x[i] + b * y[i];
    }
}
