// Multiply each of the n elements of d_a by factor. Every thread takes one element.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  // Your code: which element is this thread's? Is there one?
}
