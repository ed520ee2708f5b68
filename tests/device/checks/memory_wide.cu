// Accesses outside of memory by asynchronous copies, matrices, surfaces and other instructions that move many bytes.
//@ least 80

//@ bug copy_async_from_past illegal_address block=32 args="float32[126]= float32[128]"
extern "C" __global__ void copy_async_from_past(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + threadIdx.x * 4) : "memory");  //! thread=31 count=1 space=global bytes=16
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int i = 0; i < 4; ++i) b[threadIdx.x * 4 + i] = threadIdx.x < 31 ? s[threadIdx.x * 4 + i] : 0;
}

//@ bug copy_async_to_past illegal_address block=32 args="float32[128]= float32[128]"
extern "C" __global__ void copy_async_to_past(const float* a, float* b) {
  __shared__ __align__(16) float s[124];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + threadIdx.x * 4) : "memory");  //! thread=31 count=1 space=shared bytes=16
  asm volatile("cp.async.wait_all;" ::: "memory");
  b[threadIdx.x] = threadIdx.x < 31 ? s[threadIdx.x * 4] : 0;
}

//@ bug copy_async_misaligned misaligned_address block=32 args="float32[136]= float32[32]"
extern "C" __global__ void copy_async_misaligned(const float* a, float* b) {
  __shared__ __align__(16) float s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(a + threadIdx.x * 4 + (threadIdx.x == 17)) : "memory");  //! thread=17 count=1 space=global bytes=8
  asm volatile("cp.async.wait_all;" ::: "memory");
  b[threadIdx.x] = 0;
}

//@ bug rows_of_a_matrix_past illegal_address block=32 args="uint32[32]"
extern "C" __global__ void rows_of_a_matrix_past(unsigned* b) {
  __shared__ __align__(16) unsigned short s[60];
  for (int i = threadIdx.x; i < 60; i += 32) s[i] = i;
  __syncwarp();
  unsigned v, from = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x % 8 * 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(from) : "memory");  //! thread=7 space=shared
  b[threadIdx.x] = v;
}

//@ bug rows_of_a_matrix_misaligned misaligned_address block=32 args="uint32[32]"
extern "C" __global__ void rows_of_a_matrix_misaligned(unsigned* b) {
  __shared__ __align__(16) unsigned short s[80];
  for (int i = threadIdx.x; i < 80; i += 32) s[i] = i;
  __syncwarp();
  unsigned v, from = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x % 8 * 16 + (threadIdx.x == 2 ? 8 : 0);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(from) : "memory");  //! thread=2 space=shared
  b[threadIdx.x] = v;
}

//@ bug surface_written_outside surface_out_of_range block=8x4 args="surface:8x4 int32[1]"
extern "C" __global__ void surface_written_outside(unsigned long long surface, int* b) {
  int x = (threadIdx.x + 1) * 4, y = threadIdx.y;
  asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(x), "r"(y), "r"(7));  //! thread=7
  if (x == 4 && y == 0) b[0] = 1;
}

//@ bug surface_read_before surface_out_of_range block=8 args="surface:8x4 int32[8]"
extern "C" __global__ void surface_read_before(unsigned long long surface, int* b) {
  int v, x = threadIdx.x * 4, y = (int)(threadIdx.x / 4) - 1;
  asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(surface), "r"(x), "r"(y));  //! thread=0
  b[threadIdx.x] = v;
}

//@ bug surface_that_is_none invalid_handle block=8 args="7:uint64 int32[8]"
extern "C" __global__ void surface_that_is_none(unsigned long long surface, int* b) {
  int v, x = threadIdx.x * 4;
  asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(surface), "r"(x), "r"(0));  //! thread=0
  b[threadIdx.x] = v;
}

//@ bug texture_that_is_none invalid_handle block=8 args="99:uint64 float32[8]"
extern "C" __global__ void texture_that_is_none(unsigned long long texture, float* b) {
  float v, u, s, t;
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(v), "=f"(u), "=f"(s), "=f"(t) : "l"(texture), "r"(threadIdx.x));  //! thread=0
  b[threadIdx.x] = v + u + s + t;
}

//@ bug barrier_after_a_prefetch barrier block=32 args="int32[32]"
extern "C" __global__ void barrier_after_a_prefetch(int* b) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(b + 1000));
  if (threadIdx.x < 16) {
    __syncwarp();  //! thread=0
  } else {
    __syncthreads();  //! thread=16
  }
}

//@ bug generic_atomic_past illegal_address block=32 args="int32[8]=0 1:int32"
extern "C" __global__ void generic_atomic_past(int* a, int which) {
  __shared__ int s[8];
  if (threadIdx.x < 8) s[threadIdx.x] = 0;
  __syncthreads();
  int* to = which ? a : s;
  atomicAdd(to + threadIdx.x / 2, 1);  //! thread=16 count=16 space=global index=8
  if (threadIdx.x < 8) a[threadIdx.x] = s[threadIdx.x];  //! race hazard=write_after_write thread=0 other_thread=1 other_line=-1
}
