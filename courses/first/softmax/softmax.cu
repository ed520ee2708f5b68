// y = exp(x - max) / sum in each of the rows of x, which have `columns` elements. The grid has a block of
// 128 threads for each row.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
  // Your code.
}
