// Values that were written in part, in each kind of memory, and variables that were never set.
//@ least 80

//@ bug last_element_of_shared uninitialised grid=2 block=64 args="int32[126]= int32[128] 63:int32"
extern "C" __global__ void last_element_of_shared(const int* a, int* b, int n) {
  __shared__ int s[64];
  if (threadIdx.x < n) s[threadIdx.x] = a[blockIdx.x * 63 + threadIdx.x];
  __syncthreads();
  b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  //! thread=0 in_block=0 count=2 origin=shared
}

//@ bug tree_of_an_odd_count uninitialised block=64 args="float32[50]= float32[1] 50:int32"
extern "C" __global__ void tree_of_an_odd_count(const float* a, float* b, int n) {
  __shared__ float s[64];
  if (threadIdx.x < n) s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  for (int step = 32; step; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *b = s[0];  //! thread=0 count=1 origin=shared
}

//@ bug dynamic_shared_not_set uninitialised block=32 shared=128 args="float32[32]"
extern "C" __global__ void dynamic_shared_not_set(float* b) {
  extern __shared__ float s[];
  b[threadIdx.x] = s[threadIdx.x] * 2;  //! thread=0 count=32 origin=shared
}

//@ bug halo_left_out uninitialised grid=2 block=32 args="float32[64]= float32[64]"
extern "C" __global__ void halo_left_out(const float* a, float* b) {
  __shared__ float s[34];
  int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x + 1;
  s[t] = a[i];
  if (threadIdx.x == 0) s[0] = i > 0 ? a[i - 1] : 0;
  __syncthreads();
  b[i] = s[t - 1] + s[t + 1];  //! thread=31 in_block=0 count=2
}

//@ bug shared_of_an_earlier_block uninitialised grid=3 block=32 args="int32[96]"
extern "C" __global__ void shared_of_an_earlier_block(int* b) {
  __shared__ int s[32];
  if (blockIdx.x == 0) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];  //! thread=0 in_block=1 count=64
}

//@ bug vector_of_shared uninitialised block=32 args="float32[32]"
extern "C" __global__ void vector_of_shared(float* b) {
  __shared__ __align__(16) float s[128];
  for (int i = 0; i < 3; ++i) s[threadIdx.x * 4 + i] = i;
  float4 v = *(float4*)(s + threadIdx.x * 4);
  asm volatile("" : "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w));
  b[threadIdx.x] = v.x + v.y + v.z + v.w;  //! thread=0 count=32 origin=shared
}

struct Point { float x, y, z; };
//@ bug member_of_a_struct uninitialised block=32 args="float32[96] float32[32]"
extern "C" __global__ void member_of_a_struct(Point* a, float* b) {
  a[threadIdx.x].x = 1;
  a[threadIdx.x].y = 2;
  b[threadIdx.x] = a[threadIdx.x].x + a[threadIdx.x].z;  //! thread=0 count=32 origin=global
}

//@ bug three_bytes_of_four uninitialised block=32 args="uint8[128] int32[32]"
extern "C" __global__ void three_bytes_of_four(unsigned char* a, int* b) {
  for (int i = 0; i < 3; ++i) a[threadIdx.x * 4 + i] = i;
  b[threadIdx.x] = *(volatile int*)(a + threadIdx.x * 4) + 1;  //! thread=0 count=32
}

//@ bug low_half_of_a_double uninitialised block=32 args="uint32[64] float64[32]"
extern "C" __global__ void low_half_of_a_double(unsigned* a, double* b) {
  a[threadIdx.x * 2 + 1] = 0x3ff00000;
  b[threadIdx.x] = *(volatile double*)(a + threadIdx.x * 2) + 1;  //! thread=0 count=32
}

//@ bug element_of_a_local_array uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void element_of_a_local_array(const int* a, int* b) {
  int t[33];
  for (int i = 0; i < 32; ++i) t[i] = a[i];
  b[threadIdx.x] = t[a[threadIdx.x]] + 1;  //! thread=31 count=1 origin=local
}

//@ bug empty_stack uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void empty_stack(const int* a, int* b) {
  int stack[8], top = a[0] + 3;
  for (int i = 0; i < 3; ++i) stack[top++ & 7] = a[i + threadIdx.x % 8];
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += stack[--top & 7];
  b[threadIdx.x] = sum;  //! thread=0 count=32 origin=local
}

//@ bug only_some_set_it uninitialised block=32 args="int32[32]"
extern "C" __global__ void only_some_set_it(int* b) {
  int v;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 20; @p mov.u32 %0, 5; }" : "=r"(v) : "r"(threadIdx.x));
  b[threadIdx.x] = v + 1;  //! thread=20 count=12 origin=register
}

//@ bug register_in_a_branch uninitialised block=32 args="int32[32]=0"
extern "C" __global__ void register_in_a_branch(int* b) {
  asm volatile(
      "{ .reg .b32 v; .reg .pred p; setp.gt.s32 p, v, 3;"
      " @p bra SKIP; st.global.u32 [%0], 1; SKIP: }" ::"l"(b + threadIdx.x) : "memory");  //! thread=0 count=32 origin=register
}

//@ bug register_as_address uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void register_as_address(const int* a, int* b) {
  int v;
  asm volatile("{ .reg .b64 n, at; and.b64 n, n, 0; add.s64 at, %1, n; ld.global.u32 %0, [at]; }" : "=r"(v) : "l"(a + threadIdx.x));
  asm volatile("{ .reg .b32 n; .reg .b64 w; and.b32 n, n, 4; cvt.u64.u32 w, n; add.s64 w, w, %1; ld.global.u32 %0, [w]; }" : "=r"(v) : "l"(a));  //! thread=0 count=32 hazard=address origin=register
  b[threadIdx.x] = v;
}

//@ bug memory_of_malloc uninitialised block=32 args="int32[32]"
extern "C" __global__ void memory_of_malloc(int* b) {
  int* p = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 3; ++i) p[i] = i;
  b[threadIdx.x] = p[threadIdx.x == 8 ? 3 : 2] + 1;  //! thread=8 count=1 origin=global
  free(p);
}

//@ bug set_in_the_other_branch uninitialised block=64 args="int32[64] int32[64]"
extern "C" __global__ void set_in_the_other_branch(int* a, int* b) {
  if (threadIdx.x % 2) a[threadIdx.x] = 5;
  b[threadIdx.x] = *(volatile int*)(a + threadIdx.x) * 2;  //! thread=0 count=32 argument=b
}

//@ bug in_the_last_iteration uninitialised args="int32[16]=first15 int32[16]"
extern "C" __global__ void in_the_last_iteration(const int* a, int* b) {
  #pragma unroll 1
  for (int i = 0; i < 16; ++i) b[i] = a[i] * 2;  //! thread=0 count=1 index=15
}

//@ bug accumulated_into_nothing uninitialised grid=2 block=32 args="float32[64] float32[64]="
extern "C" __global__ void accumulated_into_nothing(float* sum, const float* a) {
  int i = blockIdx.x * 32 + threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < 3; ++k) sum[i] += a[i];  //! thread=0 in_block=0 argument=a
}

//@ bug read_before_the_copy_ends uninitialised block=32 args="float32[128]= float32[32]"
extern "C" __global__ void read_before_the_copy_ends(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group;" ::"r"(to), "l"(a + threadIdx.x * 4) : "memory");
  b[threadIdx.x] = s[threadIdx.x * 4];  //! thread=0 count=32 origin=shared ; race hazard=read_after_write thread=0 other_thread=0 count=32
}

//@ bug local_of_a_function uninitialised block=32 args="int32[32]= int32[32]"
__device__ __noinline__ int picked(const int* a, int n) {
  int t[8];
  for (int i = 0; i < 7; ++i) t[(i + n) & 7] = a[i];
  return t[(n + 7) & 7] + 1;
}
extern "C" __global__ void local_of_a_function(const int* a, int* b) {
  b[threadIdx.x] = picked(a, a[threadIdx.x]);  //! thread=0 count=32 origin=local
}

//@ bug local_of_the_second_call uninitialised block=32 args="int32[32]= int32[32]"
__device__ __noinline__ int kept(int n, int write) {
  int t[4];
  if (write)
    for (int i = 0; i < 4; ++i) t[(i + n) & 3] = i;
  return t[n & 3] * 2;
}
extern "C" __global__ void local_of_the_second_call(const int* a, int* b) {
  int first = kept(a[threadIdx.x], 1);
  b[threadIdx.x] = first + kept(a[threadIdx.x], a[0] - 1);  //! thread=0 count=32 origin=local
}

//@ bug undefined_argument uninitialised block=32 args="int32[32]=first31 int32[32]"
__device__ __noinline__ int doubled(int v) { return 2 * v; }
extern "C" __global__ void undefined_argument(const int* a, int* b) {
  b[threadIdx.x] = doubled(a[threadIdx.x]);  //! thread=31 count=1
}

//@ bug undefined_bytes_copied_later uninitialised block=32 args="float32[128]=first127 float32[128]"
extern "C" __global__ void undefined_bytes_copied_later(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(to), "l"(a + threadIdx.x * 4) : "memory");
  float4 v = *(float4*)(s + threadIdx.x * 4);
  b[threadIdx.x] = v.x + v.y + v.z + v.w;  //! thread=31 count=1 origin=global
}

struct Fields {
  unsigned kind : 3;
  unsigned size : 5;
  unsigned rest : 24;
  unsigned last : 1;
};

//@ good fields_set_one_by_one block=32 args="int32[32] int32[64] 5:int32 9:int32"
extern "C" __global__ void fields_set_one_by_one(int* b, Fields* c, int x, int y) {
  __shared__ Fields f[32];
  f[threadIdx.x].kind = x;
  __syncwarp();
  f[threadIdx.x].size = y;
  f[threadIdx.x].last = 1;
  __syncwarp();
  c[threadIdx.x].size = y;
  __threadfence();
  c[threadIdx.x].kind = x;
  c[threadIdx.x].last = 1;
  __threadfence();
  c[threadIdx.x].rest = y;
  __threadfence();
  b[threadIdx.x] = f[31 - threadIdx.x].kind + f[31 - threadIdx.x].size + f[31 - threadIdx.x].last + c[threadIdx.x].rest +
                   c[threadIdx.x].kind + c[threadIdx.x].last;
}

//@ good fields_of_a_local_struct block=32 args="int32[32] 5:int32 9:int32"
extern "C" __global__ void fields_of_a_local_struct(int* b, int x, int y) {
  Fields f;
  f.size = y;
  f.last = 1;
  f.kind = x;
  f.rest = threadIdx.x;
  b[threadIdx.x] = f.kind + f.size + f.last + f.rest;
}

//@ bug field_that_was_not_set uninitialised block=32 args="int32[32] 5:int32"
extern "C" __global__ void field_that_was_not_set(int* b, int x) {
  __shared__ Fields f[32];
  f[threadIdx.x].kind = x;
  __syncwarp();
  f[threadIdx.x].last = 1;
  __syncwarp();
  b[threadIdx.x] = f[31 - threadIdx.x].rest + 1;  //! thread=0 count=32 hazard=stored
}

//@ bug bits_of_nothing uninitialised block=32 args="int32[32] int32[32] 6:int32"
extern "C" __global__ void bits_of_nothing(int* b, const int* c, int n) {
  b[threadIdx.x] = (c[threadIdx.x] & 0x0fff) | n;  //! thread=0 count=32 hazard=stored
}
