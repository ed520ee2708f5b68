// Numbers read as another kind, unions, pieces of one block of memory, indexes that wrap or are negative.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

//@ bug row_pitch_in_bytes_counted_in_numbers illegal_address block=8x8 args="float32[96]= float32[64] 48:int32" access=read
extern "C" __global__ void row_pitch_in_bytes_counted_in_numbers(const float* a, float* b, int pitch) {
  b[threadIdx.y * 8 + threadIdx.x] = a[threadIdx.y * pitch + threadIdx.x];  //! thread=0,2 count=48
}

//@ bug negative_remainder_as_an_index illegal_address block=32 args="int32[32]= int32[32] 3:int32" space=shared
extern "C" __global__ void negative_remainder_as_an_index(const int* a, int* b, int shift) {
  __shared__ int ring[32];
  ring[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = ring[((int)threadIdx.x - shift) % 32];  //! thread=0 count=3 says=12_bytes_before_ring
}

//@ bug guard_of_either_dimension illegal_address grid=2x2 block=8x8 args="float32[121]= 11:int32 11:int32"
extern "C" __global__ void guard_of_either_dimension(float* a, int width, int height) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < width || y < height) a[y * width + x] = 1;  //! illegal_address access=write ; race severity=warning
}

//@ bug doubles_behind_an_odd_count_of_floats misaligned_address block=32 shared=392 args="float32[33]= float64[32] 33:int32" space=shared
extern "C" __global__ void doubles_behind_an_odd_count_of_floats(const float* a, double* b, int n) {
  extern __shared__ __align__(16) float memory[];
  float* floats = memory;
  double* doubles = (double*)(memory + n);
  floats[threadIdx.x] = a[threadIdx.x];
  doubles[threadIdx.x] = a[threadIdx.x + 1];  //! thread=0 count=32 bytes=8 access=write
  __syncthreads();
  b[threadIdx.x] = floats[31 - threadIdx.x];
}

//@ bug second_piece_begins_too_early race block=64 shared=512 args="float32[64]= int32[64]= float32[64] 32:int32"
extern "C" __global__ void second_piece_begins_too_early(const float* a, const int* keys, float* b, int warp) {
  extern __shared__ float values[];
  int* order = (int*)(values + warp);
  values[threadIdx.x] = a[threadIdx.x];  //! hazard=write_after_write count=32
  order[threadIdx.x] = keys[threadIdx.x] - 1;  //~
  __syncthreads();
  if (order[threadIdx.x] == threadIdx.x) b[threadIdx.x] = values[threadIdx.x % 32];
}

// NVRTC knows no alloca().
__device__ __forceinline__ int* on_the_stack(int n) {
  int* p;
  asm volatile("{ .reg .u64 at; alloca.u64 at, %1, 16; cvta.local.u64 %0, at; }" : "=l"(p) : "l"(n * 4ull) : "memory");
  return p;
}

union Word {
  float f;
  double d;
  unsigned u[2];
};
//@ bug union_read_as_its_wider_member uninitialised block=32 args="uint8[256] float64[32]" origin=global
extern "C" __global__ void union_read_as_its_wider_member(Word* a, double* b) {
  a[threadIdx.x].f = 1.5f;
  b[threadIdx.x] = a[threadIdx.x].d * 2;  //! count=32 thread=0
}

//@ bug upper_bfloat_of_a_pair_forgotten uninitialised block=32 args="uint16[64] float32[32]" origin=global
extern "C" __global__ void upper_bfloat_of_a_pair_forgotten(__nv_bfloat16* a, float* b) {
  a[2 * threadIdx.x] = __float2bfloat16(2.0f);
  __nv_bfloat162 pair = *(const __nv_bfloat162*)(a + 2 * threadIdx.x);
  b[threadIdx.x] = __low2float(pair) + __high2float(pair);  //! count=32 thread=0
}

//@ bug text_without_an_end illegal_address args="uint8[32]= int32[1]"
extern "C" __global__ void text_without_an_end(const char* text, int* length) {
  int n = 0;
  while (text[n] != 0) ++n;  //! index=32
  *length = n;
}

//@ bug address_of_the_neighbours_local_variable uninitialised block=32 args="int32[32]"
// Each thread has local memory of its own at that address.
extern "C" __global__ void address_of_the_neighbours_local_variable(int* b) {
  __shared__ int* where;
  int mine[4];
  int* p = mine;
  asm volatile("" : "+l"(p) : : "memory");
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; ++i) p[i] = 5;
    where = p;
  }
  __syncwarp();
  b[threadIdx.x] = where[2];  //! thread=1 count=31 origin=local
}

//@ bug shared_memory_of_another_block_by_its_address uninitialised grid=2 block=32 args="uint64[1] int32[1]=0 int32[32]"
// The address that block 0 leaves means shared memory of its own in block 1.
extern "C" __global__ void shared_memory_of_another_block_by_its_address(unsigned long long* where, int* flag, int* b) {
  __shared__ int s[32];
  int* p = s;
  asm volatile("" : "+l"(p) : : "memory");
  if (blockIdx.x == 0) {
    p[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) *where = (unsigned long long)p;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    b[threadIdx.x] = ((int*)*(volatile unsigned long long*)where)[threadIdx.x];  //! thread=0 in_block=1 count=32
  }
}

//@ bug numbers_of_a_surface_counted_like_an_array misaligned_address block=8x4 args="surface:8x4"
extern "C" __global__ void numbers_of_a_surface_counted_like_an_array(cudaSurfaceObject_t surface) {
  surf2Dwrite(7, surface, threadIdx.x, threadIdx.y);  //! thread=1 count=24
}

struct Shape {
  __device__ virtual int area() const { return 1; }
};
//@ bug virtual_call_of_what_was_never_made uninitialised block=1 args="int32[1]"
extern "C" __global__ void virtual_call_of_what_was_never_made(int* b) {
  __shared__ __align__(8) char room[sizeof(Shape)];
  const Shape* shape = reinterpret_cast<const Shape*>(room);
  asm volatile("" : "+l"(shape) : : "memory");
  *b = shape->area();  //! thread=0 hazard=address ; illegal_address ; invalid_pc
}

//@ bug block_deletes_what_others_still_read illegal_address block=64 args="int32[64]"
extern "C" __global__ void block_deletes_what_others_still_read(int* b) {
  __shared__ int* p;
  if (threadIdx.x == 0) p = new int[64];
  __syncthreads();
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) delete[] p;
  __syncwarp();
  b[threadIdx.x] = p[63 - threadIdx.x];  //! thread=0 freed=True
}

//@ bug past_the_end_of_a_variable_array illegal_address block=32 args="int32[32] 100000:int32" space=local
extern "C" __global__ void past_the_end_of_a_variable_array(int* b, int far) {
  int n = threadIdx.x + 1;
  int* p = on_the_stack(n);
  for (int i = 0; i < n; ++i) p[i] = i;
  b[threadIdx.x] = p[threadIdx.x == 30 ? far : n / 2];  //! thread=30 count=1 access=read
}

//@ good a_ring_by_remainders_of_unsigned_numbers block=32 args="int32[32]= int32[32]"
extern "C" __global__ void a_ring_by_remainders_of_unsigned_numbers(const int* a, int* b) {
  __shared__ int ring[32];
  ring[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = ring[(threadIdx.x - 3) % 32] + ring[((int)threadIdx.x - 7 + 32) % 32] + ring[(threadIdx.x + ~0u) & 31];
}

struct __attribute__((packed)) Packed {
  char kind;
  int number;
  double weight;
};
//@ good packed_records_of_thirteen_bytes block=32 args="uint8[416] float64[32]"
extern "C" __global__ void packed_records_of_thirteen_bytes(Packed* a, double* b) {
  a[threadIdx.x].kind = 1;
  a[threadIdx.x].number = threadIdx.x;
  a[threadIdx.x].weight = 0.5 * threadIdx.x;
  __syncwarp();
  const Packed& other = a[31 - threadIdx.x];
  b[threadIdx.x] = other.kind + other.number + other.weight;
}

//@ good bits_of_a_float_by_a_union block=32 args="float32[32]= float32[32] uint32[32]"
extern "C" __global__ void bits_of_a_float_by_a_union(const float* a, float* b, unsigned* c) {
  Word w;
  w.f = a[threadIdx.x];
  c[threadIdx.x] = w.u[0] >> 23;
  w.u[0] = (w.u[0] & 0x807fffffu) | 0x3f800000u;
  b[threadIdx.x] = w.f;
}

//@ good half_pairs_made_one_half_at_a_time block=32 args="float32[64]= uint16[64] float32[32]"
extern "C" __global__ void half_pairs_made_one_half_at_a_time(const float* a, __half* b, float* c) {
  __shared__ __half2 s[32];
  s[threadIdx.x].x = __float2half(a[threadIdx.x]);
  __syncwarp();
  s[31 - threadIdx.x].y = __float2half(a[32 + threadIdx.x]);
  __syncwarp();
  __half2 v = __hmul2(s[threadIdx.x ^ 1], __float2half2_rn(0.5f));
  b[2 * threadIdx.x] = __low2half(v);
  b[2 * threadIdx.x + 1] = __high2half(v);
  c[threadIdx.x] = __half2float(__hadd(v.x, v.y));
}

//@ good index_of_more_than_32_bits_that_comes_back block=32 args="int32[32]= int32[32] 4294967296:int64"
extern "C" __global__ void index_of_more_than_32_bits_that_comes_back(const int* a, int* b, long long far) {
  const int* p = a + far;
  long long i = (long long)threadIdx.x - far;
  b[threadIdx.x] = p[i];
}

//@ good variable_arrays_and_recursion block=32 args="int32[32]= int32[32]"
__device__ __noinline__ int sorted_middle(const int* from, int n) {
  int* p = on_the_stack(n);
  for (int i = 0; i < n; ++i) {
    int k = i;
    for (; k > 0 && p[k - 1] > from[i]; --k) p[k] = p[k - 1];
    p[k] = from[i];
  }
  return n < 3 ? p[0] : p[n / 2] + sorted_middle(p, n / 2);
}
extern "C" __global__ void variable_arrays_and_recursion(const int* a, int* b) {
  int first = threadIdx.x % 16;
  b[threadIdx.x] = sorted_middle(a + first, 16);
}

struct Link {
  int value;
  Link* next;
};
//@ good lists_of_new_and_delete grid=2 block=32 args="int32[64]="
extern "C" __global__ void lists_of_new_and_delete(int* a) {
  int i = blockIdx.x * 32 + threadIdx.x, sum = 0;
  Link* list = nullptr;
  for (int k = 0; k < i % 5 + 1; ++k) list = new Link{a[i] + k, list};
  while (list != nullptr) {
    sum += list->value;
    Link* done = list;
    list = list->next;
    delete done;
  }
  a[i] = sum;
}

//@ good more_than_the_heap_has block=1 args="int32[1]"
extern "C" __global__ void more_than_the_heap_has(int* b) {
  char* p = (char*)malloc(1ull << 40);
  *b = p == nullptr;
  if (p != nullptr) p[0] = 1;
  free(p);
}

//@ bug discarded_and_read uninitialised block=32 args="int32[32] int32[32]"
extern "C" __global__ void discarded_and_read(int* a, int* b) {
  a[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(a) : "memory");
  __syncwarp();
  if (a[threadIdx.x] > 3) b[threadIdx.x] = 1;  //! thread=0 origin=global
}

//@ good discarded_and_written_again block=32 args="int32[32] int32[32]"
extern "C" __global__ void discarded_and_written_again(int* a, int* b) {
  if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(a) : "memory");
  __syncwarp();
  a[threadIdx.x] = threadIdx.x;
  __syncwarp();
  b[threadIdx.x] = a[31 - threadIdx.x];
}

//@ bug discarded_while_others_read race block=32 args="int32[32]= int32[32]"
extern "C" __global__ void discarded_while_others_read(int* a, int* b) {
  b[threadIdx.x] = a[threadIdx.x];  //~
  if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(a) : "memory");  //! hazard=write_after_read
}

//@ bug discard_beyond_an_array illegal_address block=32 args="int32[16]"
extern "C" __global__ void discard_beyond_an_array(int* a) {
  if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(a) : "memory");  //! thread=0
}
