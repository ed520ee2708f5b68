// Multiplies two vectors element by element; one block of threads and no check of the bounds.

extern "C" __global__ void vec_elm_mul(float *dest, const float *a, const float *b) {
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
