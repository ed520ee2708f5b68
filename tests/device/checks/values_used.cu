// Values that were never written, and each way of using them.
//@ least 80

//@ bug in_a_branch uninitialised grid=2 block=32 args="int32[64] int32[64]=0"
extern "C" __global__ void in_a_branch(const int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (a[i] > 3)  //! thread=0 in_block=0 count=64 origin=global
    b[i] = 1;
}

//@ bug in_a_branch_of_the_last uninitialised grid=2 block=32 args="int32[64]=first63 int32[64]=0"
extern "C" __global__ void in_a_branch_of_the_last(const int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (a[i] > 3)  //! thread=31 in_block=1 count=1 origin=global
    b[i] = 1;
}

//@ bug as_loop_bound uninitialised block=32 args="int32[1] int32[32]"
extern "C" __global__ void as_loop_bound(const int* n, int* b) {
  int sum = 0;
  #pragma unroll 1
  for (int i = 0; i < *n; ++i) sum += i ^ threadIdx.x;  //! thread=0 count=32 hazard=decide
  b[threadIdx.x] = sum;
}

//@ bug as_switch uninitialised block=32 args="int32[32] int32[32]=0"
extern "C" __global__ void as_switch(const int* a, int* b) {
  switch (a[threadIdx.x]) {  //! thread=0 hazard=decide
    case 3: atomicAdd(b, 1); break;
    case 900: b[1] = 5; break;
    case 77: __threadfence(); break;
  }
}

//@ bug as_index_of_a_load uninitialised block=32 args="uint8[32] int32[256]= int32[32]"
extern "C" __global__ void as_index_of_a_load(const unsigned char* a, const int* t, int* b) {
  b[threadIdx.x] = t[a[threadIdx.x]];  //! thread=0 count=32 hazard=address
}

//@ bug as_index_into_shared uninitialised block=32 args="uint8[32]=first31 int32[32]"
extern "C" __global__ void as_index_into_shared(const unsigned char* a, int* b) {
  __shared__ int s[256];
  for (int i = threadIdx.x; i < 256; i += 32) s[i] = i;
  __syncwarp();
  b[threadIdx.x] = s[a[threadIdx.x]];  //! thread=31 count=1 hazard=address
}

//@ bug as_address_of_an_atomic uninitialised block=32 args="uint8[32] int32[256]=0"
extern "C" __global__ void as_address_of_an_atomic(const unsigned char* a, int* b) {
  atomicAdd(b + a[threadIdx.x], 1);  //! thread=0 count=32 hazard=address
}

//@ bug given_to_an_atomic uninitialised block=32 args="int32[32] int32[1]=0"
extern "C" __global__ void given_to_an_atomic(const int* a, int* b) {
  atomicMax(b, a[threadIdx.x]);  //! thread=0 count=32 hazard=atomic origin=global
}

//@ bug compared_and_swapped uninitialised block=1 args="int32[1] int32[1]"
extern "C" __global__ void compared_and_swapped(int* a, int* b) {
  *b = atomicCAS(a, 0, 1);  //! thread=0 count=1 hazard=atomic argument=a
}

//@ bug shared_counter_never_set uninitialised block=64 args="int32[1]"
extern "C" __global__ void shared_counter_never_set(int* b) {
  __shared__ int n;
  atomicAdd(&n, 1);  //! thread=0 hazard=atomic origin=shared
  __syncthreads();
  if (threadIdx.x == 0) *b = n;
}

//@ bug one_bin_not_zeroed uninitialised block=32 args="uint8[32]= int32[64]=0"
extern "C" __global__ void one_bin_not_zeroed(const unsigned char* a, int* b) {
  __shared__ int bins[33];
  bins[threadIdx.x] = 0;  // 33 bins
  __syncthreads();
  atomicAdd(&bins[a[threadIdx.x]], 1);  //! thread=31 count=1 hazard=atomic origin=shared
  __syncthreads();
  b[threadIdx.x] = bins[threadIdx.x];
}

//@ bug voted_on uninitialised block=32 args="int32[32] uint32[32]"
extern "C" __global__ void voted_on(const int* a, unsigned* b) {
  b[threadIdx.x] = __ballot_sync(0xffffffff, a[threadIdx.x] > 0);  //! thread=0 count=32 hazard=lanes
}

//@ bug voted_on_by_one uninitialised block=64 args="int32[64]=first63 int32[64]"
extern "C" __global__ void voted_on_by_one(const int* a, int* b) {
  b[threadIdx.x] = __any_sync(0xffffffff, a[threadIdx.x] > 100);  //! thread=63 count=1 hazard=lanes
}

//@ bug matched uninitialised block=32 args="int32[32] uint32[32]"
extern "C" __global__ void matched(const int* a, unsigned* b) {
  b[threadIdx.x] = __match_any_sync(0xffffffff, a[threadIdx.x]);  //! thread=0 count=32 hazard=lanes
}

//@ bug reduced_in_a_warp uninitialised block=32 args="uint32[32]=first31 uint32[32]"
extern "C" __global__ void reduced_in_a_warp(const unsigned* a, unsigned* b) {
  b[threadIdx.x] = __reduce_add_sync(0xffffffff, a[threadIdx.x]);  //! thread=31 count=1 hazard=lanes
}

//@ bug shuffled_down uninitialised block=32 args="float32[32]=first31 float32[1]"
extern "C" __global__ void shuffled_down(const float* a, float* b) {
  float v = a[threadIdx.x];
  for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (threadIdx.x == 0) *b = v;  //! thread=0 count=1 hazard=stored
}

//@ bug sum_with_one_missing uninitialised args="float32[100]=first99 float32[1]"
extern "C" __global__ void sum_with_one_missing(const float* a, float* b) {
  float sum = 0;
  for (int i = 0; i < 100; ++i) sum += a[i];
  *b = sum;  //! thread=0 count=1 origin=global other_line=-1 hazard=stored
}

//@ bug half_numbers uninitialised block=32 args="uint16[32] float32[32]"
extern "C" __global__ void half_numbers(const unsigned short* a, float* b) {
  float v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(a[threadIdx.x]));
  b[threadIdx.x] = v + 1;  //! thread=0 count=32 other_line=-1
}

//@ bug pair_of_bfloats uninitialised block=32 args="float32[32] uint32[32]"
extern "C" __global__ void pair_of_bfloats(const float* a, unsigned* b) {
  unsigned v;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(a[threadIdx.x]), "f"(1.0f));
  b[threadIdx.x] = v;  //! thread=0 count=32 origin=global
}

//@ bug as_coordinate_of_a_texture uninitialised block=32 args="int32[32] texture:64 float32[32]"
extern "C" __global__ void as_coordinate_of_a_texture(const int* a, unsigned long long texture, float* b) {
  float v, x, y, z;
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(v), "=f"(x), "=f"(y), "=f"(z) : "l"(texture), "r"(a[threadIdx.x]));  //! thread=0 count=32 hazard=address
  b[threadIdx.x] = v;
}

//@ bug stored_to_a_surface uninitialised block=8 args="int32[8] surface:8x4"
extern "C" __global__ void stored_to_a_surface(const int* a, unsigned long long surface) {
  int x = threadIdx.x * 4, y = 0;
  asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(x), "r"(y), "r"(a[threadIdx.x]));  //! thread=0 count=8 hazard=stored
}

//@ bug in_a_product_of_matrices uninitialised block=32 args="uint32[32]=first31 float32[128]"
extern "C" __global__ void in_a_product_of_matrices(const unsigned* a, float* b) {
  float d[4];
  unsigned one = 0x3c003c00, v = a[threadIdx.x];
  // Lane 31 holds columns 6 and 7 of row 7: the row of lanes 28 to 31 is undefined.
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%5}, {%6, %6, %6, %6};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(v), "r"(one), "f"(0.0f));
  for (int i = 0; i < 4; ++i) b[threadIdx.x * 4 + i] = d[i];  //! thread=28 origin=global count=8
}

//@ bug loaded_into_a_matrix uninitialised block=32 args="uint32[32]"
extern "C" __global__ void loaded_into_a_matrix(unsigned* b) {
  __shared__ __align__(16) unsigned s[32];
  if (threadIdx.x < 31) s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  unsigned v, from = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x % 8 * 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(from) : "memory");
  b[threadIdx.x] = v;  //! thread=31 origin=shared count=1
}

//@ bug as_shift uninitialised block=32 args="int32[32] int32[32]"
extern "C" __global__ void as_shift(const int* a, int* b) {
  b[threadIdx.x] = 1 << a[threadIdx.x];  //! thread=0 count=32
}

//@ bug as_divisor uninitialised block=32 args="float64[32] float64[32]="
extern "C" __global__ void as_divisor(const double* a, double* b) {
  b[threadIdx.x] = fmin(b[threadIdx.x], a[threadIdx.x]);  //! thread=0 count=32 argument=b
}

//@ bug as_condition_of_a_choice uninitialised block=32 args="int32[32] int32[32]"
extern "C" __global__ void as_condition_of_a_choice(const int* a, int* b) {
  b[threadIdx.x] = a[threadIdx.x] > 5 ? 7 : 9;  //! thread=0 count=32
}

typedef int (*Function)(int);
//@ bug as_function uninitialised args="uint64[1] int32[1]"
extern "C" __global__ void as_function(const unsigned long long* a, int* b) {
  *b = ((Function)*a)(3);  //! thread=0 count=1 ; invalid_pc thread=0
}

//@ bug copied_element uninitialised block=32 args="int32[32]=first31 int32[32]"
extern "C" __global__ void copied_element(const int* a, int* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=31 count=1 argument=b index=31
}

//@ bug copied_byte uninitialised block=32 args="uint8[32]=first31 uint8[32]"
extern "C" __global__ void copied_byte(const unsigned char* a, unsigned char* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=31 count=1 argument=b index=31
}

//@ bug through_three_places uninitialised block=32 args="int32[32]=first31 int32[32]"
extern "C" __global__ void through_three_places(const int* a, int* b) {
  __shared__ int s[32];
  int t[2];
  s[threadIdx.x] = a[threadIdx.x];
  __syncwarp();
  t[threadIdx.x & 1] = s[31 - threadIdx.x];
  t[~threadIdx.x & 1] = 0;
  b[threadIdx.x] = t[threadIdx.x & 1] + 1;  //! thread=0 count=1
}

//@ bug exchanged_for_nothing uninitialised block=1 args="int32[1] int32[1]"
extern "C" __global__ void exchanged_for_nothing(int* a, int* b) {
  int old = atomicExch(a, 1);
  *b = old + 1;  //! thread=0 count=1 hazard=stored origin=global
}

//@ bug half_a_warp_too_much uninitialised block=48 args="int32[1] int32[48]="
extern "C" __global__ void half_a_warp_too_much(int* b, const int* a) {
  __shared__ int sums[2];
  int v = a[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) b[0] = sums[0] + sums[1];  //! thread=0 count=1 origin=lane hazard=stored says=a_lane_that_takes_no_part_in_the_shuffle,_read_at
}

//@ bug lane_that_is_not_named uninitialised block=32 args="int32[16]"
extern "C" __global__ void lane_that_is_not_named(int* b) {
  if (threadIdx.x < 16) b[threadIdx.x] = __shfl_sync(0xffff, threadIdx.x, 20);  //! thread=0 count=16 origin=lane
}

//@ good halves_of_a_warp block=32 args="int32[2]"
extern "C" __global__ void halves_of_a_warp(int* b) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    for (int offset = 8; offset > 0; offset /= 2) v += __shfl_down_sync(0xffff, v, offset);
    if (threadIdx.x == 0) b[0] = v;
  } else {
    for (int offset = 8; offset > 0; offset /= 2) v += __shfl_down_sync(0xffff0000, v, offset, 16);
    if (threadIdx.x == 16) b[1] = v;
  }
}

//@ good tail_of_a_block block=40 args="int32[1] int32[40]="
extern "C" __global__ void tail_of_a_block(int* b, const int* a) {
  __shared__ int sums[2];
  int v = a[threadIdx.x];
  const unsigned lane = threadIdx.x % 32, lanes = threadIdx.x < 32 ? 32 : 8;
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_down_sync(0xffffffff, v, offset);
    if (lane + offset < lanes) v += other;
  }
  if (lane == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) b[0] = sums[0] + sums[1];
}

//@ bug byte_of_nothing uninitialised block=32 args="int32[32] int32[32]"
extern "C" __global__ void byte_of_nothing(int* b, const int* c) {
  b[threadIdx.x] = c[threadIdx.x] & 0xff;  //! thread=0 count=32 hazard=stored
}

//@ bug letter_of_nothing uninitialised block=32 args="int32[32]"
extern "C" __global__ void letter_of_nothing(int* b) {
  __shared__ unsigned char letters[32];
  if (threadIdx.x < 31) letters[threadIdx.x] = 'a';
  __syncthreads();
  b[threadIdx.x] = letters[threadIdx.x];  //! thread=31 count=1 hazard=stored
}

//@ bug both_of_nothing uninitialised block=32 args="int32[32] int32[32] int32[32]"
extern "C" __global__ void both_of_nothing(int* b, const int* c, const int* d) {
  const bool first = c[threadIdx.x] > 1, second = d[threadIdx.x] > 1;
  b[threadIdx.x] = (first & second) ? 3 : 4;  //! thread=0 count=32
}

//@ bug local_of_a_function_that_returned uninitialised block=32 args="int32[32]"
__device__ __noinline__ int* made(int v) {
  int a[4];
  for (int i = 0; i < 4; ++i) a[i] = v + i;
  int* volatile p = a;
  return p;
}
extern "C" __global__ void local_of_a_function_that_returned(int* b) {
  int* p = made(threadIdx.x);
  b[threadIdx.x] = p[1] + 1;  //! thread=0 count=32 origin=local
}

//@ good function_that_returns_a_struct block=32 args="int32[32]"
struct Four {
  int v[4];
};
__device__ __noinline__ Four four(int v) {
  Four f;
  for (int i = 0; i < 4; ++i) f.v[i] = v + i;
  return f;
}
extern "C" __global__ void function_that_returns_a_struct(int* b) {
  Four f = four(threadIdx.x);
  b[threadIdx.x] = f.v[threadIdx.x & 3] + four(2).v[1];
}

//@ bug prefetched_from_nowhere uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void prefetched_from_nowhere(const int* a, int* b) {
  const int* where;
  asm volatile("prefetch.global.L1 [%0];" ::"l"(where));  //! thread=0 hazard=used_as_an_address origin=register
  b[threadIdx.x] = a[threadIdx.x];
}
