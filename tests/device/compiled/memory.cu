// Accesses of every width and space, right and wrong.
struct Pair { int a; double b; };
__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int counter = 5;
__device__ int *where = &counter;
extern "C" __global__ void vector_copy(float4 *out, const float4 *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
extern "C" __global__ void at_offset(char *p, long long offset, int width, int store) {
  char *q = p + offset;
  switch (width) {
    case 1: if (store) *q = 1; else p[0] = *q; break;
    case 2: if (store) *(short *)q = 1; else *(short *)p = *(short *)q; break;
    case 4: if (store) *(int *)q = 1; else *(int *)p = *(int *)q; break;
    case 8: if (store) *(long long *)q = 1; else *(long long *)p = *(long long *)q; break;
    case 16: if (store) *(int4 *)q = make_int4(1, 2, 3, 4); else *(int4 *)p = *(int4 *)q; break;
  }
}
extern "C" __global__ void shared_at(int *out, int index) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + index];
}
extern "C" __global__ void widths(signed char *a, unsigned char *b, short *c, unsigned short *d, long long *out) {
  int t = threadIdx.x;
  out[4 * t] = a[t]; out[4 * t + 1] = b[t]; out[4 * t + 2] = c[t]; out[4 * t + 3] = d[t];
  a[t] = (signed char)(c[t] * 3); d[t] = (unsigned short)(b[t] + 1000);
}
extern "C" __global__ void by_value(Pair p, double *out, short s, unsigned char c) { out[threadIdx.x] = p.a + p.b + s + c; }
extern "C" __global__ void constants(float *out, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += weights[(threadIdx.x + i) & 7];
  out[threadIdx.x] = s + counter + *where;
}
extern "C" __global__ void strided(int *out, const int *in, int stride, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  if (i < n) out[i] = in[n - 1 - i];
}
extern "C" __global__ void pick(int *global, int which) {
  __shared__ int s[32];
  int mine[4] = {1, 2, 3, 4};
  s[threadIdx.x] = threadIdx.x * 10;
  __syncthreads();
  int *p = which == 0 ? global : which == 1 ? s : mine;
  if (which == 3) p = threadIdx.x % 3 == 0 ? global : threadIdx.x % 3 == 1 ? s : mine;
  p[threadIdx.x & 3] += 1;
  __syncthreads();
  global[32 + threadIdx.x] = p[threadIdx.x & 3] + mine[1];
}
