// Device functions: by value, by pointer, recursive, through pointers and virtual.
struct Point {
  float a[5];
  int b;
};
struct Four {
  double d[4];
};
__device__ __noinline__ float scaled(float a, float b) { return a * b + 1; }
__device__ __noinline__ Four by_value(Point p, int i) {
  Four four;
  for (int k = 0; k < 4; ++k) four.d[k] = p.a[k] * i + p.b;
  return four;
}
__device__ __noinline__ void by_pointer(float* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = scaled(x[i], i);
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
// A local array of each call must survive the calls below it.
__device__ __noinline__ int deep(int* above, int n) {
  int mine[4] = {n, n + 1, above[0], above[1]};
  if (n == 0) return mine[0] + mine[3];
  const int below = deep(mine, n - 1);
  return below + mine[n & 3];
}
typedef float (*Function)(float, float);
__device__ float sum(float a, float b) { return a + b; }
__device__ float difference(float a, float b) { return a - b; }
__device__ Function table[2] = {sum, difference};
struct Shape {
  __device__ virtual float area(float x) = 0;
};
struct Line : Shape {
  __device__ float area(float x) override { return x + 1; }
};
struct Square : Shape {
  float k;
  __device__ float area(float x) override { return x * k; }
};
extern "C" __global__ void values(float* x, double* d, const int* o, Point p) {
  int i = threadIdx.x;
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = x[i] + k;
  by_pointer(local, 8);
  x[i] = local[o[i] & 7];
  Four four = by_value(p, i);
  d[i] = four.d[o[i] & 3];
}
extern "C" __global__ void recursion(int* o) {
  int i = threadIdx.x;
  int top[4] = {i, 2 * i, 3, 4};
  o[i] = fib(i % 12);
  o[i + 32] = even(i);
  o[i + 64] = deep(top, i % 7);
}
extern "C" __global__ void endless(int* o, int n) { o[0] = fib(n) + even(n); }
extern "C" __global__ void pointers(float* x, const int* o) {
  int i = threadIdx.x;
  x[i] = table[o[i] & 1](x[i], 2.0f);
  Line line;
  Square square;
  square.k = 3;
  Shape* shape = (o[i] & 2) ? (Shape*)&line : (Shape*)&square;
  x[i] += shape->area(x[i]);
}
extern "C" __global__ void wild(float* x, unsigned long long target) {
  x[0] = ((Function)target)(1.0f, 2.0f);
}
// Warp and block operations that exchange through every thread.
extern "C" __global__ void collectives(const int* x, int* z, unsigned long long* wide) {
  int i = threadIdx.x, a = x[i];
  z[i] = __match_any_sync(~0u, a);
  int all;
  z[i + 64] = __match_all_sync(~0u, a >> 8, &all) + all;
  z[i + 128] = __match_any_sync(~0u, wide[i]);
  z[i + 192] = __syncthreads_count(a & 1);
  z[i + 256] = __syncthreads_and(a < 100);
  z[i + 320] = __syncthreads_or(a == 3);
  long long before = clock64(), after = clock64();
  z[i + 384] = after > before;
}
// The last block to arrive sums what the others left.
extern "C" __global__ void last_block(const float* x, float* partial, unsigned* count, float* out, int n) {
  __shared__ float sums[256];
  __shared__ bool last;
  float mine = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += x[i];
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (int d = 128; d; d >>= 1) {
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}
// One block's order decides: sums of floats, exchanges, positions.
extern "C" __global__ void ordered(float* sum, int* place, int* last, unsigned* histogram, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, 1.0f / (i + 1));
  if (threadIdx.x == 0) place[atomicAdd(last, 1)] = blockIdx.x;
  atomicAdd(&histogram[i % 7], 1u);
}
extern "C" __global__ void commuting(unsigned* histogram, int* most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&histogram[i % 7], 1u);
  atomicMax(most, i);
}
extern "C" __global__ void stray(int* x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x + (blockIdx.x > 5 ? n : 0)] = 1; }
