// A warp for all of a row; the other three have nothing to do.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
  if (threadIdx.x >= 32) return;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float greatest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) greatest = fmaxf(greatest, x[i]);
  for (int step = 16; step > 0; step /= 2)
    greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, step));
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(x[i] - greatest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int i = threadIdx.x; i < columns; i += 32) y[i] = expf(x[i] - greatest) / sum;
}
