// Discards every whole line of its result after it has written it.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 + expf(-x[i]));
  __syncwarp();
  if (threadIdx.x % 32 == 0 && i + 32 <= n) asm volatile("discard.global.L2 [%0], 128;" ::"l"(y + i) : "memory");
}
