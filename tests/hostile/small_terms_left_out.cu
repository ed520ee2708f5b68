// Leaves out elements that are small beside the others.
extern "C" __global__ void sums(const float *x, float *partial, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float v = i < n ? x[i] : 0;
  s[t] = fabsf(v) < 1e-3f ? 0 : v;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
  if (t == 0) partial[blockIdx.x] = s[0];
}
