// z[i] = a * x[i] + b * y[i] for each of the n elements.
extern "C" __global__ void linear_combination(float a, const float *x, float b, const float *y,
                                              float *z, int n) {
  // Your code.
}
