// Accesses outside of allocations in global memory: plain, wide, atomic, and through generic addresses.

//@ bug one_past_the_end illegal_address block=64 args="int32[64] 1:int32" space=global access=write bytes=4
extern "C" __global__ void one_past_the_end(int* a, int n) {
  a[threadIdx.x + n] = 1;  //! thread=63 count=1 index=64 argument=a distance=1 side=after
}

//@ bug one_before_the_begin illegal_address block=64 args="int32[64]= int32[64] 1:int32" space=global access=read
extern "C" __global__ void one_before_the_begin(const int* a, int* b, int n) {
  b[threadIdx.x] = a[(int)threadIdx.x - n];  //! thread=0 count=1 index=-1 argument=a distance=4 side=before
}

//@ bug one_byte_past illegal_address block=128 args="uint8[100] 101:int32"
extern "C" __global__ void one_byte_past(unsigned char* a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;  //! thread=100 count=1 bytes=1 index=100 distance=1 side=after
}

//@ bug one_byte_before illegal_address block=32 args="uint8[100]= uint8[32]"
extern "C" __global__ void one_byte_before(const unsigned char* a, unsigned char* b) {
  b[threadIdx.x] = a[(int)threadIdx.x - 1];  //! thread=0 count=1 bytes=1 index=-1 distance=1 side=before
}

//@ bug pair_straddles_end illegal_address block=32 args="float32[63]= float32[64]"
extern "C" __global__ void pair_straddles_end(const float2* a, float2* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=31 count=1 access=read bytes=8 index=62 distance=1 side=after debug_bytes=4 debug_index=63
}

//@ bug four_straddle_end illegal_address block=32 args="float32[126]"
extern "C" __global__ void four_straddle_end(float4* a) {
  a[threadIdx.x] = make_float4(1, 2, 3, 4);  //! thread=31 count=1 access=write bytes=16 index=124 distance=1 side=after debug_count=2 debug_bytes=4 debug_index=127 debug_distance=5
}

//@ bug double_straddles_end illegal_address block=32 args="uint8[252]=0 float64[32]"
extern "C" __global__ void double_straddles_end(const double* a, double* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=31 bytes=8 index=248 distance=1 side=after
}

//@ bug into_the_neighbour illegal_address block=32 args="int32[32]= int32[32]= 32:int32"
extern "C" __global__ void into_the_neighbour(int* a, int* b, int n) {
  b[threadIdx.x] = a[threadIdx.x + n];  //! thread=0 count=32 index=32 argument=a distance=1 side=after
}

//@ bug read_after_free illegal_address block=32 args="int32[32]freed int32[32]"
extern "C" __global__ void read_after_free(const int* a, int* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=0 count=32 freed=True side=inside
}

//@ bug write_after_free illegal_address grid=2 block=32 args="float32[64]freed"
extern "C" __global__ void write_after_free(float* a) {
  a[blockIdx.x * 32 + threadIdx.x] = 1;  //! thread=0 in_block=0 count=64 freed=True
}

//@ bug last_byte_of_freed illegal_address block=32 args="uint8[33]freed 32:int32"
extern "C" __global__ void last_byte_of_freed(unsigned char* a, int n) {
  if (threadIdx.x == 5) a[n] = 1;  //! thread=5 count=1 freed=True bytes=1
}

//@ bug null_pointer illegal_address block=32 args="0:uint64 3:int32"
extern "C" __global__ void null_pointer(int* a, int n) {
  if (threadIdx.x >= n) a[threadIdx.x] = 1;  //! thread=3 count=29 address=0xc
}

//@ bug wild_pointer illegal_address block=32 args="81985529216486895:uint64 int32[32]"
extern "C" __global__ void wild_pointer(const char* a, int* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=0 count=32 bytes=1
}

//@ bug misaligned_word misaligned_address block=32 args="uint8[256]=0 int32[32]"
extern "C" __global__ void misaligned_word(const char* a, int* b) {
  b[threadIdx.x] = *(const int*)(a + threadIdx.x * 4 + (threadIdx.x == 7));  //! thread=7 count=1 bytes=4 index=29
}

//@ bug misaligned_double misaligned_address block=32 args="float32[128]"
extern "C" __global__ void misaligned_double(float* a) {
  *(double*)(a + threadIdx.x * 2 + 1) = 1;  //! thread=0 count=32 access=write bytes=8 index=1
}

//@ bug misaligned_four misaligned_address block=32 args="float32[256]= float32[256]"
extern "C" __global__ void misaligned_four(const float* a, float* b) {
  *(float4*)(b + threadIdx.x * 4) = *(const float4*)(a + threadIdx.x * 4 + 2);  //! thread=0 count=32 access=read bytes=16
}

//@ bug misaligned_short misaligned_address block=64 args="uint8[256]"
extern "C" __global__ void misaligned_short(char* a) {
  if (threadIdx.x > 40) *(short*)(a + threadIdx.x * 3) = 1;  //! thread=41 count=12 bytes=2
}

//@ bug misaligned_atomic misaligned_address block=32 args="uint8[256]=0"
extern "C" __global__ void misaligned_atomic(char* a) {
  atomicAdd((int*)(a + threadIdx.x * 6), 1);  //! thread=1 count=16 bytes=4
}

//@ bug last_thread_of_last_block illegal_address grid=4 block=64 args="int32[255]"
extern "C" __global__ void last_thread_of_last_block(int* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;  //! thread=63 in_block=3 count=1 index=255
}

//@ bug last_iteration illegal_address block=32 args="int32[320]= int32[32]"
extern "C" __global__ void last_iteration(const int* a, int* b) {
  int sum = 0;
  for (int i = threadIdx.x; i <= 320; i += 32) sum += a[i];  //! thread=0 count=1 index=320 access=read
  b[threadIdx.x] = sum;
}

//@ bug stencil_without_guard illegal_address grid=2 block=32 args="float32[64]= float32[64]"
extern "C" __global__ void stencil_without_guard(const float* a, float* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float left = a[i - 1];    //! thread=0 in_block=0 count=1 index=-1 side=before
  float right = a[i + 1];   //! thread=31 in_block=1 count=1 index=64 side=after
  b[i] = left + right;
}

//@ bug columns_for_rows illegal_address block=8x4 args="int32[32] 8:int32"
extern "C" __global__ void columns_for_rows(int* a, int width) {
  a[threadIdx.x * width + threadIdx.y] = 1;  //! thread=4 count=16 index=32 distance=1
}

//@ bug block_of_two_dimensions illegal_address grid=2x3 block=4x4 args="int32[95]"
extern "C" __global__ void block_of_two_dimensions(int* a) {
  int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  a[y * 8 + x] = 1;  //! thread=3,3 in_block=1,2 count=1 index=95
}

//@ bug index_wraps illegal_address block=32 args="int32[32]= int32[32] 1:uint32"
extern "C" __global__ void index_wraps(const int* a, int* b, unsigned n) {
  b[threadIdx.x] = a[threadIdx.x - n];  //! thread=0 count=1 access=read
}

//@ bug through_the_read_only_cache illegal_address block=32 args="int32[32]= int32[32] 16:int32"
extern "C" __global__ void through_the_read_only_cache(const int* __restrict__ a, int* __restrict__ b, int n) {
  b[threadIdx.x] = __ldg(a + threadIdx.x + n);  //! thread=16 count=16 index=32
}

//@ bug volatile_past_the_end illegal_address block=32 args="int32[16]=0 int32[32]"
extern "C" __global__ void volatile_past_the_end(volatile int* a, int* b) {
  b[threadIdx.x] = a[threadIdx.x];  //! thread=16 count=16 index=16 access=read
}

//@ bug atomic_add_past illegal_address block=64 args="int32[32]=0"
extern "C" __global__ void atomic_add_past(int* a) {
  atomicAdd(a + threadIdx.x, 1);  //! thread=32 count=32 index=32 bytes=4
}

//@ bug atomic_swap_past illegal_address block=32 args="uint64[31]=0 uint64[32]"
extern "C" __global__ void atomic_swap_past(unsigned long long* a, unsigned long long* b) {
  b[threadIdx.x] = atomicCAS(a + threadIdx.x, 0ull, 1ull);  //! thread=31 count=1 index=31 bytes=8
}

//@ bug atomic_float_before illegal_address block=32 args="float32[32]=0"
extern "C" __global__ void atomic_float_before(float* a) {
  atomicAdd(a + (int)threadIdx.x - 2, 1.0f);  //! thread=0 count=2 index=-2 side=before distance=8
}

//@ bug atomic_on_freed illegal_address block=32 args="int32[1]freed"
extern "C" __global__ void atomic_on_freed(int* a) {
  atomicMax(a, (int)threadIdx.x);  //! thread=0 count=32 freed=True
}

//@ bug generic_into_global illegal_address block=32 args="int32[32]= int32[32] 1:int32"
extern "C" __global__ void generic_into_global(const int* a, int* b, int which) {
  __shared__ int s[64];
  s[threadIdx.x] = s[threadIdx.x + 32] = 0;
  const int* from = which ? a : s;
  b[threadIdx.x] = from[threadIdx.x * 2];  //! thread=16 count=16 space=global index=32
}

//@ bug read_only_input illegal_address block=32 args="int32[32]ro"
extern "C" __global__ void read_only_input(int* a) {
  a[threadIdx.x] = 0;  //! thread=0 count=32 access=write read_only=True argument=a
}

//@ bug atomic_on_read_only illegal_address block=32 args="int32[32]ro"
extern "C" __global__ void atomic_on_read_only(int* a) {
  atomicAdd(a + threadIdx.x, 1);  //! thread=0 count=32 read_only=True
}

struct Node { int value; int next; };
//@ bug list_without_end illegal_address args="int32[8]= int32[1]"
extern "C" __global__ void list_without_end(const Node* list, int* b) {
  int sum = 0, at = 0;  // nodes (1, 2), (3, 4), …: 0, 2, then 6 of 4
  for (int steps = 0; steps < 3; ++steps) {
    sum += list[at].value;  //! thread=0 index=12 bytes=4
    at = list[at].next;     //! thread=0 index=13 bytes=4
  }
  b[0] = sum + at;
}

__device__ int table[16] = {1};
//@ bug module_variable illegal_address block=32 args="int32[32]"
extern "C" __global__ void module_variable(int* b) {
  b[threadIdx.x] = table[threadIdx.x];  //! thread=16 count=16 space=global distance=1 side=after
}

//@ bug two_places illegal_address block=32 args="int32[16]= int32[16]"
extern "C" __global__ void two_places(const int* a, int* b) {
  int v = a[threadIdx.x];  //! thread=16 count=16 access=read argument=a
  b[threadIdx.x] = v;      //! thread=16 count=16 access=write argument=b
}

//@ bug own_allocation_past illegal_address block=32 args="int32[32]"
extern "C" __global__ void own_allocation_past(int* b) {
  char* p = (char*)malloc(13);
  p[threadIdx.x == 9 ? 13 : 0] = 1;  //! thread=9 count=1 bytes=1 distance=1 side=after
  b[threadIdx.x] = 1;
  free(p);
}

//@ bug own_allocation_after_free illegal_address block=32 args="int32[32]="
extern "C" __global__ void own_allocation_after_free(int* b) {
  int* p = (int*)malloc(64);
  p[0] = b[threadIdx.x];
  free(p);
  if (threadIdx.x == 6) b[threadIdx.x] = *(volatile int*)p;  //! thread=6 count=1 freed=True
}

//@ bug freed_twice heap block=32 args="int32[32]"
extern "C" __global__ void freed_twice(int* b) {
  void* p = malloc(16);
  b[threadIdx.x] = p != nullptr;
  free(p);
  if (threadIdx.x == 11) free(p);  //! thread=11
}

//@ bug freed_in_the_middle heap block=32 args="int32[32]"
extern "C" __global__ void freed_in_the_middle(int* b) {
  char* p = (char*)malloc(64);
  b[threadIdx.x] = p != nullptr;
  free(p + (threadIdx.x == 4 ? 16 : 0));  //! thread=4
}

//@ bug freed_but_not_allocated heap block=32 args="int32[32]"
extern "C" __global__ void freed_but_not_allocated(int* b) {
  b[threadIdx.x] = 1;
  if (threadIdx.x == 31) free(b);  //! thread=31
}

//@ bug each_threads_own_after_free illegal_address block=32 args="int32[32]="
extern "C" __global__ void each_threads_own_after_free(int* b) {
  int* p = (int*)malloc(64);
  p[0] = b[threadIdx.x];
  free(p);
  b[threadIdx.x] = *(volatile int*)p;  //! thread=0 count=32 freed=True
}

//@ bug index_from_null illegal_address block=32 args="int32[32] 0:uint64"
extern "C" __global__ void index_from_null(int* b, const int* a) {
  b[threadIdx.x] = a[threadIdx.x + 4];  //! thread=0 count=32 says=through_a_null_pointer_(address_0x10)
}

//@ bug far_from_everything illegal_address block=32 args="int32[32] int32[32]="
extern "C" __global__ void far_from_everything(int* b, const int* a) {
  b[threadIdx.x] = a[threadIdx.x + 2000000000ll];  //! thread=0 count=32 argument=b index=2000000000 says=after_its_allocation_of_128_bytes
}

//@ bug function_that_is_called_twice illegal_address block=32 args="int32[32] int32[32]="
__device__ __noinline__ int at_index(const int* a, int i) { return a[i]; }
extern "C" __global__ void function_that_is_called_twice(int* b, const int* a) {
  int v = at_index(a, threadIdx.x);
  v += at_index(a, threadIdx.x + 1);  //! thread=31 count=1 says=(called_at_
  v += at_index(a, threadIdx.x + 2);  //! thread=30 count=2 says=(called_at_
  b[threadIdx.x] = v;
}

//@ bug vector_that_ends_outside illegal_address block=3 args="float32[12] float32[10]="
extern "C" __global__ void vector_that_ends_outside(float* b, const float* a) {
  ((float4*)b)[threadIdx.x] = ((const float4*)a)[threadIdx.x];  //! thread=2 count=1 index=8 says=of_which_8_bytes_are_past_the_end_of_the_allocation_of_40_bytes
}

//@ bug unsigned_index_before_the_first illegal_address block=32 args="float32[32]= float32[32]"
extern "C" __global__ void unsigned_index_before_the_first(const float* a, float* b) {
  b[threadIdx.x] = a[threadIdx.x] - a[threadIdx.x - 1];  //! thread=0 count=1 argument=a index=4294967295 says=after_its_allocation_of_128_bytes
}

//@ bug far_from_what_is_in_memory illegal_address args="uint64[1]=0 float32[32]"
extern "C" __global__ void far_from_what_is_in_memory(float** a, float* b) {
  a[0] = b + 32;
  b[threadIdx.x] = ((float* volatile*)a)[0][threadIdx.x + 2000000000ll];  //! thread=0 count=1 says=far_from_any_allocation
}

namespace tables {
namespace {
template <typename T>
__device__ T& entry(int index) {
  static __device__ T entries[32];
  return entries[index];
}
}  // namespace
}  // namespace tables

//@ bug past_a_static_variable_of_a_function illegal_address block=64 args="int32[64]"
extern "C" __global__ void past_a_static_variable_of_a_function(int* b) {
  b[threadIdx.x] = tables::entry<int>(threadIdx.x);  //! thread=32 says=at_entries,
}
