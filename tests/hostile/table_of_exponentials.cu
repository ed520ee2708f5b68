// Looks the exponential up in a table, with no step between its entries.
extern "C" __global__ void silu(const float *x, float *y, int n) {
  __shared__ float t[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = expf((128 - k) / 8.f);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = min(max((int)rintf(x[i] * 8) + 128, 0), 255);
  y[i] = x[i] / (1 + t[k]);
}
