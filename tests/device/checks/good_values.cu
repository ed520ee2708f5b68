// Correct: memory and variables that are not wholly written, where nobody uses what is missing.
//@ least 80

struct Padded { char c; double d; short s; };
//@ good padded_by_value grid=2 block=32 args="uint8[1536] uint8[1536]"
extern "C" __global__ void padded_by_value(Padded* a, Padded* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  Padded p;
  p.c = 1; p.d = i; p.s = 3;
  a[i] = p;
  __syncthreads();
  b[i] = a[i];
}

//@ good padded_through_shared block=32 args="uint8[768]"
extern "C" __global__ void padded_through_shared(Padded* a) {
  __shared__ Padded s[32];
  s[threadIdx.x].c = 1; s[threadIdx.x].d = 2; s[threadIdx.x].s = 3;
  __syncwarp();
  a[threadIdx.x] = s[31 - threadIdx.x];
}

//@ good padded_copied_by_words block=32 args="uint8[768] uint8[768]"
extern "C" __global__ void padded_copied_by_words(Padded* a, Padded* b) {
  a[threadIdx.x].c = 1; a[threadIdx.x].d = 2; a[threadIdx.x].s = 3;
  __syncwarp();
  const unsigned* from = (const unsigned*)(a + threadIdx.x);
  unsigned* to = (unsigned*)(b + threadIdx.x);
  for (int i = 0; i < sizeof(Padded) / 4; ++i) to[i] = from[i];
}

//@ good padded_copied_by_bytes block=32 args="uint8[768] uint8[768] 24:int32"
extern "C" __global__ void padded_copied_by_bytes(Padded* a, unsigned short* b, int n) {
  a[threadIdx.x].c = 1; a[threadIdx.x].d = 2; a[threadIdx.x].s = 3;
  const unsigned short* from = (const unsigned short*)(a + threadIdx.x);
  for (int i = 0; i < n / 2; ++i) b[threadIdx.x * 12 + i] = from[i];
}

union Mixed { int i; char c[8]; double d; };
//@ good union_of_kinds block=32 args="uint8[256] int32[32]"
extern "C" __global__ void union_of_kinds(Mixed* a, int* b) {
  a[threadIdx.x].i = threadIdx.x;
  Mixed m = a[threadIdx.x];
  b[threadIdx.x] = m.i + m.c[0];
}

struct Bits { unsigned low : 5, middle : 13, high : 14; };
//@ good bit_fields block=32 args="uint32[32]=0 uint32[32]"
extern "C" __global__ void bit_fields(Bits* a, unsigned* b) {
  a[threadIdx.x].low = threadIdx.x;
  a[threadIdx.x].middle = threadIdx.x * 3;
  a[threadIdx.x].high = 7;
  b[threadIdx.x] = a[threadIdx.x].middle;
}

//@ good bit_fields_of_a_new_variable block=32 args="uint32[32] 3:uint32"
extern "C" __global__ void bit_fields_of_a_new_variable(unsigned* b, unsigned n) {
  unsigned word;  // written 5 bits, then 27
  asm volatile("{ bfi.b32 %0, %1, 0, 0, 5; bfi.b32 %0, %1, %0, 5, 27; }" : "=&r"(word) : "r"(n));
  b[threadIdx.x] = word;
}

//@ good word_by_bytes block=32 args="uint8[128] int32[32]"
extern "C" __global__ void word_by_bytes(unsigned char* a, int* b) {
  for (int i = 0; i < 4; ++i) a[threadIdx.x * 4 + i] = threadIdx.x + i;
  b[threadIdx.x] = ((int*)a)[threadIdx.x];
}

//@ good bytes_of_a_word block=32 args="int32[32] uint8[128]"
extern "C" __global__ void bytes_of_a_word(int* a, unsigned char* b) {
  a[threadIdx.x] = threadIdx.x * 0x01010101;
  for (int i = 0; i < 4; ++i) b[threadIdx.x * 4 + i] = ((unsigned char*)(a + threadIdx.x))[i];
}

//@ good half_of_a_pair block=32 args="float32[64] float32[32]"
extern "C" __global__ void half_of_a_pair(float2* a, float* b) {
  a[threadIdx.x].x = 1;
  b[threadIdx.x] = a[threadIdx.x].x * 2;
}

//@ good vector_read_part_used block=32 args="float32[128] float32[32]"
extern "C" __global__ void vector_read_part_used(float* a, float* b) {
  for (int i = 0; i < 3; ++i) a[threadIdx.x * 4 + i] = i;
  float4 v;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(a + threadIdx.x * 4) : "memory");
  b[threadIdx.x] = v.x + v.y + v.z;
}

//@ good last_elements_unused grid=2 block=32 args="float32[64]=first63 float32[64] 63:int32"
extern "C" __global__ void last_elements_unused(const float* a, float* b, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float v = a[i];
  if (i < n) b[i] = v * 2;
}

//@ good chosen_away block=32 args="int32[32] int32[32]"
extern "C" __global__ void chosen_away(const int* a, int* b) {
  int v = a[threadIdx.x];  // nothing has been written there
  b[threadIdx.x] = threadIdx.x < 64 ? 5 : v;
}

//@ good masked_away block=32 args="uint32[32] uint32[32] 0:uint32"
extern "C" __global__ void masked_away(const unsigned* a, unsigned* b, unsigned none) {
  b[threadIdx.x] = (a[threadIdx.x] & none) | 3;
}

//@ good tile_with_a_halo grid=2 block=32 args="float32[64]= float32[64] 64:int32"
extern "C" __global__ void tile_with_a_halo(const float* a, float* b, int n) {
  __shared__ float s[34];
  int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x + 1;
  s[t] = a[i];
  if (threadIdx.x == 0 && i > 0) s[0] = a[i - 1];
  if (threadIdx.x == 31 && i + 1 < n) s[33] = a[i + 1];
  __syncthreads();
  float left = i > 0 ? s[t - 1] : 0, right = i + 1 < n ? s[t + 1] : 0;
  b[i] = left + s[t] + right;
}

//@ good padded_tile block=16x16 args="float32[256]= float32[256]"
extern "C" __global__ void padded_tile(const float* a, float* b) {
  __shared__ float s[16][17];
  s[threadIdx.y][threadIdx.x] = a[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 16 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}

//@ good stack_of_a_thread block=32 args="int32[32] 5:int32"
extern "C" __global__ void stack_of_a_thread(int* b, int n) {
  int stack[16], top = 0;
  for (int i = 0; i < n; ++i) stack[top++] = i * threadIdx.x;
  int sum = 0;
  while (top > 0) sum += stack[--top];
  b[threadIdx.x] = sum;
}

//@ good local_array_partly_used block=32 args="int32[32]= int32[32]"
extern "C" __global__ void local_array_partly_used(const int* a, int* b) {
  int t[32];
  int n = a[threadIdx.x] % 32;
  for (int i = 0; i <= n; ++i) t[i] = i;
  int sum = 0;
  for (int i = n; i >= 0; i -= 3) sum += t[i];
  b[threadIdx.x] = sum;
}

struct Pair { int first, second; };
//@ good pair_given_back block=32 args="int32[32]= int32[32]"
__device__ __noinline__ Pair split(int v) {
  Pair p;
  p.first = v / 3;
  p.second = v % 3;
  return p;
}
extern "C" __global__ void pair_given_back(const int* a, int* b) {
  Pair p = split(a[threadIdx.x]);
  b[threadIdx.x] = p.first * 10 + p.second;
}

//@ good result_by_pointer block=32 args="int32[32]= int32[32]"
__device__ __noinline__ bool find(int v, int* result) {
  if (v % 2) return false;
  *result = v;
  return true;
}
extern "C" __global__ void result_by_pointer(const int* a, int* b) {
  int found;
  b[threadIdx.x] = find(a[threadIdx.x], &found) ? found : -1;
}

//@ good own_memory_partly_written block=32 args="int32[32]"
extern "C" __global__ void own_memory_partly_written(int* b) {
  int* p = (int*)malloc(8 * sizeof(int));
  p[2] = threadIdx.x;
  b[threadIdx.x] = p[2] + 1;
  free(p);
}

//@ good shared_zeroed_by_words block=64 args="uint8[256]"
extern "C" __global__ void shared_zeroed_by_words(unsigned char* b) {
  __shared__ __align__(4) unsigned char s[256];
  ((unsigned*)s)[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64) b[i] = s[i];
}

//@ good zeroed_by_first_warp block=96 args="int32[96]"
extern "C" __global__ void zeroed_by_first_warp(int* b) {
  __shared__ int s[96];
  if (threadIdx.x < 32)
    for (int i = threadIdx.x; i < 96; i += 32) s[i] = 0;
  __syncthreads();
  atomicAdd(&s[threadIdx.x ^ 1], 1);
  __syncthreads();
  b[threadIdx.x] = s[threadIdx.x];
}

//@ good initial_value_of_the_module grid=2 block=32 args="int32[64]"
__device__ int given[64] = {1, 2, 3};
__device__ int zeros[64];
extern "C" __global__ void initial_value_of_the_module(int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  b[i] = given[i] + zeros[i];
}

//@ good loop_writes_before_it_reads block=32 args="int32[33] int32[1]"
extern "C" __global__ void loop_writes_before_it_reads(int* a, int* b) {
  if (threadIdx.x != 0) return;
  a[0] = 1;
  for (int i = 1; i <= 32; ++i) a[i] = a[i - 1] * 2 % 1000;
  *b = a[32];
}

//@ good set_before_the_loop_ends block=32 args="int32[32]= int32[32]"
extern "C" __global__ void set_before_the_loop_ends(const int* a, int* b) {
  int last;
  for (int i = 0;; ++i) {
    if (i > 0 && last > 40) break;
    last = a[i] + i;
    if (i == 31) break;
  }
  b[threadIdx.x] = last;
}

//@ good shuffle_past_the_end block=32 args="int32[32]=first31 int32[32] 31:int32"
extern "C" __global__ void shuffle_past_the_end(const int* a, int* b, int n) {
  int i = threadIdx.x, v = i < n ? a[i] : 0;
  v += __shfl_down_sync(0xffffffff, v, 1);
  b[i] = v;
}

//@ good old_registers_for_new_values only=optimised block=32 args="int32[128] texture:64 float32[32] 1:int32"
extern "C" __global__ void old_registers_for_new_values(const int* a, cudaTextureObject_t texture, float* b, int n) {
  // Values that nobody wrote, read and not used; what comes later may lie in the same registers.
  int unused = 0;
  for (int i = 0; i < 4; ++i) unused ^= a[threadIdx.x * 4 + i] * n;
  float v = unused == 1 && n == 0 ? 1.0f : 0.0f;
  asm volatile("" ::"f"(v));
  b[threadIdx.x] = 0;
}

//@ good texture_in_old_registers block=32 args="float32[128] texture:64 float32[32]"
extern "C" __global__ void texture_in_old_registers(const float* a, unsigned long long texture, float* b) {
  asm volatile(
      "{ .reg .f32 x, y, z, w; .reg .b64 at; .reg .f32 sum; .reg .s32 i; mov.u32 i, %tid.x;"
      " mul.wide.u32 at, i, 16; add.s64 at, at, %0; ld.global.v4.f32 {x, y, z, w}, [at];"
      " tex.1d.v4.f32.s32 {x, y, z, w}, [%1, {i}]; add.f32 sum, x, y; add.f32 sum, sum, z; add.f32 sum, sum, w;"
      " mul.wide.u32 at, i, 4; add.s64 at, at, %2; st.global.f32 [at], sum; }" ::"l"(a), "l"(texture), "l"(b) : "memory");
}

//@ good rows_of_a_matrix_in_old_registers block=32 args="uint32[64] uint32[32]"
extern "C" __global__ void rows_of_a_matrix_in_old_registers(const unsigned* a, unsigned* b) {
  __shared__ __align__(16) unsigned s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  unsigned from = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x % 8 * 16;
  asm volatile(
      "{ .reg .b32 x; .reg .b64 at; mul.wide.u32 at, %2, 4; add.s64 at, at, %0; ld.global.u32 x, [at];"
      " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {x}, [%3];"
      " mul.wide.u32 at, %2, 4; add.s64 at, at, %1; st.global.u32 [at], x; }" ::"l"(a), "l"(b), "r"(threadIdx.x), "r"(from) : "memory");
}

//@ good conversion_in_old_registers block=32 args="uint32[32] float32[32]= uint32[32]"
extern "C" __global__ void conversion_in_old_registers(const unsigned* a, const float* f, unsigned* b) {
  asm volatile(
      "{ .reg .b32 x; .reg .b64 at; .reg .f32 v; mul.wide.u32 at, %3, 4; add.s64 at, at, %0; ld.global.u32 x, [at];"
      " mul.wide.u32 at, %3, 4; add.s64 at, at, %1; ld.global.f32 v, [at]; cvt.rn.bf16x2.f32 x, v, v;"
      " mul.wide.u32 at, %3, 4; add.s64 at, at, %2; st.global.u32 [at], x; }" ::"l"(a), "l"(f), "l"(b), "r"(threadIdx.x) : "memory");
}

//@ good unused_row_of_a_product block=32 args="float32[64]"
extern "C" __global__ void unused_row_of_a_product(float* b) {
  // The lower eight rows of a are what an unset register holds; so are those of d, which nobody stores.
  asm volatile(
      "{ .reg .b32 a<4>, b<2>; .reg .f32 d<4>, z; .reg .b64 at; mov.b32 a0, 0x3c003c00; mov.b32 a2, a0; mov.b32 b0, a0;"
      " mov.b32 b1, a0; mov.f32 z, 0f00000000;"
      " mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {z, z, z, z};"
      " mul.wide.u32 at, %1, 8; add.s64 at, at, %0; st.global.v2.f32 [at], {d0, d1}; }" ::"l"(b), "r"(threadIdx.x) : "memory");
}

//@ good exchange_as_a_first_store block=32 args="int32[32] int32[32]"
extern "C" __global__ void exchange_as_a_first_store(int* a, int* b) {
  __shared__ int lock;
  if (threadIdx.x == 0) atomicExch(&lock, 0);
  atomicExch(a + threadIdx.x, 7);
  __syncthreads();
  b[threadIdx.x] = a[threadIdx.x] + lock;
}
