// c = a b of row-major matrices: a is m x k, b is k x n, c is m x n. The grid has a thread for each
// element of c, in blocks of 16 x 16: x counts columns, y counts rows.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  // Your code.
}
