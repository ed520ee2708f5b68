// Reads others' parts of the sum before they are written.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
  __shared__ float part[128];
  const int t = threadIdx.x;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float greatest = -INFINITY;
  for (int i = t; i < columns; i += 128) greatest = fmaxf(greatest, x[i]);
  part[t] = greatest;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  greatest = part[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < columns; i += 128) sum += expf(x[i] - greatest);
  part[t] = sum;
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < columns; i += 128) y[i] = expf(x[i] - greatest) / part[0];
}
