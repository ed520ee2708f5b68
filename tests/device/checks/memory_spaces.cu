// Accesses outside of shared, local, constant and parameter memory, directly and through generic addresses; the stack.

//@ bug shared_one_past illegal_address block=32 args="int32[32] 1:int32" space=shared
extern "C" __global__ void shared_one_past(int* b, int n) {
  __shared__ volatile int s[32];
  s[threadIdx.x + n] = threadIdx.x;  //! thread=31 count=1 access=write bytes=4
  b[threadIdx.x] = 0;
}

//@ bug shared_one_before illegal_address block=32 args="int32[32] 1:int32" space=shared
extern "C" __global__ void shared_one_before(int* b, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  b[threadIdx.x] = s[(int)threadIdx.x - n];  //! thread=0 count=1 access=read bytes=4 says=4_bytes_before_s,
}

//@ bug shared_byte_past illegal_address block=48 args="int32[1] 47:int32" space=shared
extern "C" __global__ void shared_byte_past(int* b, int n) {
  __shared__ char s[47];
  if (threadIdx.x <= n) s[threadIdx.x] = 1;  //! thread=47 count=1 bytes=1
  if (threadIdx.x == 0) b[0] = s[0];
}

//@ bug shared_dynamic_past illegal_address block=64 shared=252 args="int32[64]" space=shared
extern "C" __global__ void shared_dynamic_past(int* b) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;  //! thread=63 count=1 access=write bytes=4
  b[threadIdx.x] = 0;
}

//@ bug shared_dynamic_forgotten illegal_address block=32 args="int32[32]" space=shared
extern "C" __global__ void shared_dynamic_forgotten(int* b) {
  extern __shared__ float t[];
  t[threadIdx.x] = 1;  //! thread=0 count=32
  b[threadIdx.x] = 0;
}

//@ bug shared_pair_straddles illegal_address block=32 args="float32[2] 30:int32" space=shared
extern "C" __global__ void shared_pair_straddles(float* b, int n) {
  __shared__ __align__(16) float s[62];
  if (threadIdx.x > n) *(float2*)(s + threadIdx.x * 2) = make_float2(1, 2);  //! thread=31 count=1 bytes=8 debug_count=2 debug_bytes=4
  asm volatile("" ::"l"(s) : "memory");  // somebody might read it
  if (threadIdx.x == 0) b[0] = 1;
}

//@ bug shared_four_misaligned misaligned_address only=optimised block=32 args="float32[32] 2:int32" space=shared
extern "C" __global__ void shared_four_misaligned(float* b, int n) {
  __shared__ __align__(16) float s[136];
  *(float4*)(s + threadIdx.x * 4 + n) = make_float4(1, 2, 3, 4);  //! thread=0 count=32 bytes=16
  asm volatile("" ::"l"(s) : "memory");
  b[threadIdx.x] = 0;
}

//@ bug shared_atomic_past illegal_address block=32 args="int32[1]= 0:int32" space=shared
extern "C" __global__ void shared_atomic_past(int* b, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x + n], 1);  //! thread=16 count=16 bytes=4
  if (threadIdx.x == 0) b[0] = bins[0];
}

//@ bug shared_generic_past illegal_address block=32 args="int32[32]= int32[32] 1:int32" space=shared
extern "C" __global__ void shared_generic_past(int* a, int* b, int which) {
  __shared__ int s[32];
  s[threadIdx.x] = 0;
  int* to = which ? s : a;
  to[threadIdx.x + 16] = 1;  //! thread=16 count=16 access=write ; race only=debug hazard=write_after_write thread=0 other_thread=16 other_line=-2
  b[threadIdx.x] = 0;
}

//@ bug shared_swap_misaligned misaligned_address block=32 args="int32[32] 2:int32" space=shared
extern "C" __global__ void shared_swap_misaligned(int* b, int n) {
  __shared__ __align__(8) char s[64];
  if (threadIdx.x < 16) ((int*)s)[threadIdx.x] = 0;
  __syncwarp();
  if (threadIdx.x == 21) b[0] = atomicCAS((int*)(s + n), 0, 1);  //! thread=21 count=1 bytes=4
}

//@ bug shared_of_last_block illegal_address grid=5 block=32 args="int32[5]" space=shared
extern "C" __global__ void shared_of_last_block(int* b) {
  __shared__ int s[35];
  s[threadIdx.x + blockIdx.x] = 1;  //! thread=31 in_block=4 count=1
  __syncthreads();
  if (threadIdx.x == 0) b[blockIdx.x] = s[8];
}

//@ bug local_past illegal_address block=32 args="int32[32] 3:int32" space=local
extern "C" __global__ void local_past(int* b, int n) {
  int t[8];
  for (int i = 0; i < 8; ++i) t[(i * n) & 7] = i;
  b[threadIdx.x] = t[threadIdx.x];  //! thread=8 count=24 access=read bytes=4
}

//@ bug local_before illegal_address block=32 args="int32[32] 3:int32" space=local
extern "C" __global__ void local_before(int* b, int n) {
  int t[8];
  for (int i = 0; i < 8; ++i) t[(i * n) & 7] = i;
  t[(int)(threadIdx.x % 8) - 1] = 5;  //! thread=0 count=4 access=write says=4_bytes_before_the_thread's_local_memory
  b[threadIdx.x] = t[n];
}

//@ bug local_misaligned misaligned_address block=32 args="int32[32] 3:int32" space=local
extern "C" __global__ void local_misaligned(int* b, int n) {
  __align__(8) char t[32];
  for (int i = 0; i < 32; ++i) t[(i * n) & 31] = (char)i;
  b[threadIdx.x] = *(int*)(t + (threadIdx.x & 15));  //! thread=1 count=24 bytes=4
}

//@ bug local_generic_past illegal_address block=32 args="int32[32]= int32[32] 3:int32" space=local
extern "C" __global__ void local_generic_past(int* a, int* b, int n) {
  int t[16];
  for (int i = 0; i < 16; ++i) t[(i * n) & 15] = i;
  int* from = threadIdx.x < 16 ? a : t;
  b[threadIdx.x] = from[threadIdx.x - (threadIdx.x < 20 ? 8 * (threadIdx.x >= 16) : 0)];  //! thread=20 count=12 access=read
}

__constant__ int coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 8};
//@ bug constant_past illegal_address block=32 args="int32[32] 4:int32"
extern "C" __global__ void constant_past(int* b, int n) {
  b[threadIdx.x] = coefficients[threadIdx.x / 4 + n];  //! thread=16 count=16 access=read bytes=4 space=const says=out-of-bounds_const_read
}

//@ bug constant_before illegal_address block=32 args="int32[32] 1:int32"
extern "C" __global__ void constant_before(int* b, int n) {
  b[threadIdx.x] = coefficients[(int)threadIdx.x / 4 - n];  //! thread=0 count=4 access=read
}

//@ bug constant_written illegal_address block=32 args="int32[32] 2:int32"
extern "C" __global__ void constant_written(int* b, int n) {
  b[threadIdx.x] = 1;
  const int* from = n > 1 ? coefficients : b;
  if (threadIdx.x < 8) ((int*)from)[threadIdx.x] = 7;  //! thread=0 count=8 access=write
}

struct Numbers { int v[6]; };
//@ bug parameter_past illegal_address block=32 args="bytes:24 int32[32]" space=param
extern "C" __global__ void parameter_past(const __grid_constant__ Numbers p, int* b) {
  b[threadIdx.x] = p.v[threadIdx.x];  //! thread=8 count=24 access=read bytes=4
}

//@ bug parameter_before illegal_address block=32 args="bytes:24 int32[32]" space=param
extern "C" __global__ void parameter_before(const __grid_constant__ Numbers p, int* b) {
  b[threadIdx.x] = p.v[(int)threadIdx.x % 6 - 1];  //! thread=0 count=6 access=read says=4_bytes_before_the_kernel's_parameters
}

//@ bug parameter_written illegal_address block=32 args="bytes:24 int32[32]" space=param
extern "C" __global__ void parameter_written(const __grid_constant__ Numbers p, int* b) {
  int* to = threadIdx.x % 2 ? b + threadIdx.x : const_cast<int*>(p.v);
  *(volatile int*)to = 1;  //! thread=0 count=16 access=write
}

//@ bug shared_pointer_taken_for_global illegal_address block=32 args="int32[32]"
extern "C" __global__ void shared_pointer_taken_for_global(int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  asm volatile("st.global.u32 [%0], %1;" ::"l"(&s[threadIdx.x]), "r"(1) : "memory");  //! thread=0 count=32 space=global
  b[threadIdx.x] = s[threadIdx.x];
}

//@ bug global_pointer_taken_for_shared illegal_address block=32 args="int32[32]"
extern "C" __global__ void global_pointer_taken_for_shared(int* b) {
  unsigned v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "l"(b + threadIdx.x));  //! thread=0 count=32 space=shared
  b[threadIdx.x] = v;
}

//@ bug offset_taken_for_generic illegal_address block=32 args="int32[32]"
extern "C" __global__ void offset_taken_for_generic(int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  int* p = (int*)(unsigned long long)(unsigned)__cvta_generic_to_shared(s + threadIdx.x);
  b[threadIdx.x] = *p;  //! thread=0 count=32 space=global
}

//@ bug endless_recursion stack_overflow args="int32[1] 1000000:int32"
__device__ __noinline__ int deep(int n) {
  volatile int t[64];
  t[n & 63] = n;
  return n <= 0 ? 0 : deep(n - 1) + t[n & 63];  //! thread=0
}
extern "C" __global__ void endless_recursion(int* b, int n) {
  b[0] = deep(n);
}

typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ Function functions[2] = {twice, nullptr};
//@ bug call_of_null invalid_pc block=32 args="int32[32] 1:int32"
extern "C" __global__ void call_of_null(int* b, int n) {
  b[threadIdx.x] = functions[threadIdx.x == 3 ? n : 0](threadIdx.x);  //! thread=3
}

//@ bug neither_function_nor_null invalid_pc block=32 args="int32[32]"
extern "C" __global__ void neither_function_nor_null(int* b) {
  Function f = (Function)b;
  b[threadIdx.x] = f(threadIdx.x);  //! thread=0
}
