// Reads what the block before left in shared memory.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float before = s[t];
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
  if (t == 0) partial[blockIdx.x] = s[0] + 0 * before;
}
