// dest[i] = a[i] * b[i] for each of the n elements. Every thread takes one element.
extern "C" __global__ void multiply_them_grid(float *dest, const float *a, const float *b, int n) {
  // Your code.
}
