// b is the transpose of a, a matrix of height rows and width columns: b[x][y] = a[y][x]. The grid has
// a block of 32 x 8 threads for each 32 x 32 elements of a.
extern "C" __global__ void transpose(const float *a, float *b, int width, int height) {
  // Your code.
}
