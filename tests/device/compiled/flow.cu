// Divergence, barriers, shared and local memory, blocks of every shape.
extern "C" __global__ void nested(int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int r = 0;
  if (t & 1) {
    if (t & 2) { for (int i = 0; i < t; ++i) r += i ^ t; }
    else { int i = t; do { r += 3 * i; i /= 2; } while (i > 0); }
    if ((t & 12) == 12) { out[t] = -r; return; }
  } else {
    switch (t % 5) { case 0: r = 7; break; case 1: r = t * t; break; case 2: r = -1; break; default: r = t + 100; }
  }
  for (int i = 0; i < (t % 7); ++i) { if (i == 4) continue; if (r > 5000) break; r = r * 3 + i; }
  out[t] = r;
}
extern "C" __global__ void block_sum(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reverse_dynamic(int *a, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  if (t < n) s[t] = a[t];
  __syncthreads();
  if (t < n) a[t] = s[n - 1 - t];
}
extern "C" __global__ void early_return(int *a, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  if (t >= n) return;
  s[t] = a[t];
  __syncthreads();
  a[t] = s[(t + 1) % n];
}
extern "C" __global__ void volume(unsigned *out) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
  out[(z * h + y) * w + x] = x | y << 8 | z << 16;
}
extern "C" __global__ void local_table(int *out, int n) {
  int table[16];
  int t = threadIdx.x;
  for (int i = 0; i < 16; ++i) table[(i * 5 + t) & 15] = i * t;
  int s = 0;
  for (int i = 0; i < n; ++i) s += table[(t + i * i) & 15] * (i + 1);
  out[t] = s;
}
extern "C" __global__ void warp_tail(volatile float *a) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = a[t]; s[t + 32] = a[t + 32];
  s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1];
  if (t == 0) a[0] = s[0];
}
extern "C" __global__ void handoff(volatile int *flag, int *out) {
  if (threadIdx.x == 0) { while (*flag == 0) {} out[0] = *flag; }
  else if (threadIdx.x == 40) *flag = 42;
}
extern "C" __global__ void lane_handoff(volatile int *flag, int *out) {
  if (threadIdx.x == 0) { while (*flag == 0) {} out[0] = *flag; }
  else if (threadIdx.x == 5) *flag = 43;
}
extern "C" __global__ void block_handoff(volatile int *flag, int *out) {
  if (blockIdx.x == 0) { while (*flag == 0) {} out[0] = *flag; }
  else if (blockIdx.x == gridDim.x - 1) *flag = 44;
}
extern "C" __global__ void endless(volatile int *a) { while (a[0] == 0) a[1] += 1; }
extern "C" __global__ void branch_endless(int *a) { for (;;) { if (a[threadIdx.x] != 0) a[threadIdx.x + 1] ^= 1; } }
