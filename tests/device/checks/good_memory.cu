// Correct: accesses at the very edge of memory, in every space and of every width.

//@ good bytes_to_the_last grid=3 block=64 args="uint8[181]= uint8[181] 181:int32"
extern "C" __global__ void bytes_to_the_last(const unsigned char* a, unsigned char* b, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) b[i] = a[n - 1 - i];
}

//@ good four_and_the_rest block=64 args="float32[251]= float32[251] 251:int32"
extern "C" __global__ void four_and_the_rest(const float* a, float* b, int n) {
  int i = threadIdx.x;
  if (i < n / 4) ((float4*)b)[i] = ((const float4*)a)[i];
  if (i < n % 4) b[n / 4 * 4 + i] = a[n / 4 * 4 + i];
}

//@ good grid_stride grid=3 block=32 args="float32[1000]= float32[1000] 1000:int32"
extern "C" __global__ void grid_stride(const float* __restrict__ a, float* __restrict__ b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i] + 1;
}

//@ good clamped_stencil grid=2 block=64 args="float32[128]= float32[128] 128:int32"
extern "C" __global__ void clamped_stencil(const float* a, float* b, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  b[i] = a[max(i - 1, 0)] + a[i] + a[min(i + 1, n - 1)];
}

//@ good guarded_by_and grid=2 block=64 args="float32[100]= float32[100] 100:int32"
extern "C" __global__ void guarded_by_and(const float* a, float* b, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n && a[i] > 3) b[i] = 1;
}

//@ good pointer_past_the_end_unused grid=1 block=32 args="int32[32]="
extern "C" __global__ void pointer_past_the_end_unused(int* a) {
  const int* end = a + 32;
  for (int* p = a + threadIdx.x; p < end; p += 32) *p += 1;
}

//@ good shared_carved_by_hand block=32 shared=416 args="float32[32]= float32[32]"
extern "C" __global__ void shared_carved_by_hand(const float* a, float* b) {
  extern __shared__ __align__(16) unsigned char memory[];
  double* d = (double*)memory;             // 32
  float* f = (float*)(d + 32);             // 32
  unsigned char* c = (unsigned char*)(f + 32);  // 32
  int i = threadIdx.x;
  d[i] = a[i];
  f[i] = a[i] * 2;
  c[i] = i;
  __syncthreads();
  b[i] = d[31 - i] + f[i ^ 1] + c[(i + 1) % 32];
}

//@ good shared_static_and_dynamic block=64 shared=256 args="int32[64]= int32[64]"
extern "C" __global__ void shared_static_and_dynamic(const int* a, int* b) {
  __shared__ int s[64];
  extern __shared__ int t[];
  s[threadIdx.x] = a[threadIdx.x];
  t[threadIdx.x] = -a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x] + t[63 - threadIdx.x];
}

//@ good shared_memory_used_twice block=32 args="float32[32]= float32[32]"
extern "C" __global__ void shared_memory_used_twice(const float* a, float* b) {
  __shared__ union { float f[32]; int i[32]; short s[64]; } u;
  u.f[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float v = u.f[31 - threadIdx.x];
  __syncthreads();
  u.s[threadIdx.x] = (short)v;
  __syncthreads();
  b[threadIdx.x] = u.s[31 - threadIdx.x];
}

//@ good generic_pointers block=32 args="int32[32]= int32[32] 1:int32"
__device__ __noinline__ int sum_of(const int* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}
extern "C" __global__ void generic_pointers(const int* a, int* b, int n) {
  __shared__ int s[32];
  int t[4];
  s[threadIdx.x] = a[threadIdx.x];
  for (int i = 0; i < 4; ++i) t[i] = i * n;
  __syncthreads();
  b[threadIdx.x] = sum_of(a, 32) + sum_of(s, 32) + sum_of(t, 4);
}

__constant__ float weights[5] = {1, 4, 6, 4, 1};
//@ good constant_by_index block=32 args="float32[36]= float32[32]"
extern "C" __global__ void constant_by_index(const float* a, float* b) {
  float sum = 0;
  for (int k = 0; k < 5; ++k) sum += a[threadIdx.x + k] * weights[(k + threadIdx.x) % 5];
  b[threadIdx.x] = sum;
}

struct Table { int v[8]; };
//@ good struct_parameter_by_index block=32 args="bytes:32 int32[32]"
extern "C" __global__ void struct_parameter_by_index(Table p, int* b) { b[threadIdx.x] = p.v[threadIdx.x % 8]; }

//@ good grid_constant_by_pointer block=32 args="bytes:32 int32[32]"
extern "C" __global__ void grid_constant_by_pointer(const __grid_constant__ Table p, int* b) {
  const int* from = p.v;
  b[threadIdx.x] = from[7 - threadIdx.x % 8];
}

//@ good recursion block=32 args="int32[32]"
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int* b) { b[threadIdx.x] = fibonacci(threadIdx.x % 9); }

//@ good recursion_with_arrays block=32 args="int32[32] 6:int32"
__device__ __noinline__ int walk(int depth, int n) {
  int t[4];
  for (int i = 0; i < 4; ++i) t[(i + n) % 4] = depth * i;
  return depth == 0 ? t[n % 4] : t[(n + 1) % 4] + walk(depth - 1, n + 1);
}
extern "C" __global__ void recursion_with_arrays(int* b, int n) { b[threadIdx.x] = walk(n, threadIdx.x); }

//@ good table_of_functions block=32 args="int32[32]= int32[32]"
typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[2] = {plus, times};
extern "C" __global__ void table_of_functions(const int* a, int* b) {
  b[threadIdx.x] = operations[threadIdx.x % 2](a[threadIdx.x], 3);
}

//@ good virtual_functions block=32 args="int32[32]"
struct Shape { __device__ virtual int area() const = 0; };
struct Square : Shape { int side; __device__ explicit Square(int s) : side(s) {} __device__ int area() const override { return side * side; } };
struct Strip : Shape { int a; __device__ explicit Strip(int x) : a(x) {} __device__ int area() const override { return a; } };
extern "C" __global__ void virtual_functions(int* b) {
  Square square(threadIdx.x);
  Strip strip(threadIdx.x);
  const Shape* shape = threadIdx.x % 2 ? (const Shape*)&square : &strip;
  b[threadIdx.x] = shape->area();
}

//@ good allocation_on_the_device grid=2 block=32 args="int32[64]"
extern "C" __global__ void allocation_on_the_device(int* b) {
  int n = threadIdx.x % 7 + 1;
  char* p = (char*)malloc(n);
  if (p == nullptr) return;
  for (int i = 0; i < n; ++i) p[i] = i;
  b[blockIdx.x * 32 + threadIdx.x] = p[n - 1];
  free(p);
}

//@ good allocation_for_the_block block=64 args="int32[64]"
extern "C" __global__ void allocation_for_the_block(int* b) {
  __shared__ int* p;
  if (threadIdx.x == 0) p = new int[64];
  __syncthreads();
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  b[threadIdx.x] = p[63 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] p;
}

//@ good free_of_null block=32 args="int32[32]"
extern "C" __global__ void free_of_null(int* b) {
  free(nullptr);
  b[threadIdx.x] = 1;
}

//@ good printing block=2 args="int32[2]="
extern "C" __global__ void printing(const int* a) {
  if (a[threadIdx.x] > 1) printf("%d of %s, %f\n", a[threadIdx.x], "many", 1.5);
}

//@ good assertion_that_holds block=32 args="int32[32]="
extern "C" __global__ void assertion_that_holds(const int* a) { assert(a[threadIdx.x] == threadIdx.x + 1); }

//@ good texture_beyond_its_edge block=32 args="texture:16 float32[32]"
extern "C" __global__ void texture_beyond_its_edge(cudaTextureObject_t texture, float* b) {
  b[threadIdx.x] = tex1Dfetch<float>(texture, (int)threadIdx.x - 8);
}

//@ good surface_within block=8x4 args="surface:8x4 int32[32]"
extern "C" __global__ void surface_within(cudaSurfaceObject_t surface, int* b) {
  surf2Dwrite((int)(threadIdx.x + threadIdx.y), surface, threadIdx.x * 4, threadIdx.y);
  b[threadIdx.y * 8 + threadIdx.x] = surf2Dread<int>(surface, threadIdx.x * 4, threadIdx.y);
}

//@ good surface_clamped block=8x4 args="surface:8x4 int32[32]"
extern "C" __global__ void surface_clamped(cudaSurfaceObject_t surface, int* b) {
  b[threadIdx.y * 8 + threadIdx.x] = surf2Dread<int>(surface, (threadIdx.x + 4) * 4, threadIdx.y, cudaBoundaryModeClamp);
}

//@ good vectors_of_all_widths block=32 args="uint8[1024]= uint8[1024]"
extern "C" __global__ void vectors_of_all_widths(const char* a, char* b) {
  int i = threadIdx.x;
  ((uchar2*)b)[i] = ((const uchar2*)a)[i];
  ((ushort4*)(b + 256))[i] = ((const ushort4*)(a + 256))[i];
  ((longlong2*)(b + 512))[i] = ((const longlong2*)(a + 512))[i];
}

//@ good read_only_is_read block=32 args="int32[32]ro int32[32]"
extern "C" __global__ void read_only_is_read(const int* a, int* b) { b[threadIdx.x] = __ldg(a + threadIdx.x) + a[31 - threadIdx.x]; }

//@ good memory_copied_and_set block=32 args="int32[256]= int32[256]"
extern "C" __global__ void memory_copied_and_set(const int* a, int* b) {
  int t[8];
  memcpy(t, a + threadIdx.x * 8, sizeof t);
  memset(t + 4, 0, 4 * sizeof(int));
  memcpy(b + threadIdx.x * 8, t, sizeof t);
}

//@ good neighbours_of_a_byte grid=2 block=32 args="uint8[64] uint16[64] uint8[64]"
extern "C" __global__ void neighbours_of_a_byte(unsigned char* a, unsigned short* b, bool* c) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] = i;
  b[i] = i;
  c[i] = i % 2;
}
