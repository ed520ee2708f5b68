// Odd corners: several writers, fields of one word, values that only one lane has, and bits that no result depends on.
//@ least 80
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <mma.h>
using Place = cuda::atomic_ref<int, cuda::thread_scope_device>;

//@ bug two_relaxed_writers_of_whom_one_is_waited_for race only=optimised grid=3 block=1 args="int32[1]=0 int32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void two_relaxed_writers_of_whom_one_is_waited_for(int* value, int* flag, int* out) {
  if (blockIdx.x == 0) {
    Place(*value).store(1, cuda::memory_order_relaxed);  //~
  } else if (blockIdx.x == 1) {
    Place(*value).store(2, cuda::memory_order_relaxed);  //! hazard=write_after_write severity=warning name=order-decides
    Place(*flag).store(1, cuda::memory_order_release);
  } else {
    while (Place(*flag).load(cuda::memory_order_acquire) == 0) {}
    *out = *value;  //! in_block=2
  }
}

//@ bug sum_cleared_by_one_block_while_others_add race grid=3 block=32 args="int32[1]=0 int32[96]="
extern "C" __global__ void sum_cleared_by_one_block_while_others_add(int* sum, const int* a) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;  //~
  __syncthreads();
  int v = __reduce_add_sync(0xffffffff, a[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(sum, v);  //! in_block=1 other_block=0
}

struct Fields {
  unsigned first : 12, second : 20;
};
//@ bug fields_of_one_word_by_two_warps race block=64 args="uint32[32]=0"
extern "C" __global__ void fields_of_one_word_by_two_warps(Fields* a) {
  if (threadIdx.x < 32) a[threadIdx.x].first = 5;
  else a[threadIdx.x - 32].second = 9;  //! thread=32 hazard=read_after_write other_line=0 debug_other_line=-1 ; thread=32 hazard=write_after_write other_line=0 debug_other_line=-1
}

//@ bug matrix_of_which_the_last_row_is_outside illegal_address block=32 args="uint16[240]= float32[256]" access=read
extern "C" __global__ void matrix_of_which_the_last_row_is_outside(const half* in, float* out) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::fill_fragment(b, __float2half(1.0f));
  wmma::load_matrix_sync(a, in, 16);  //!
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//@ bug half_pair_at_an_odd_half misaligned_address block=32 args="uint16[66]= float32[32]"
extern "C" __global__ void half_pair_at_an_odd_half(const half* a, float* b) {
  half2 v = *(const half2*)(a + 2 * threadIdx.x + (threadIdx.x > 29));  //! thread=30 count=2 bytes=4
  b[threadIdx.x] = __low2float(v) + __high2float(v);
}

//@ bug offset_known_to_lane_0_only uninitialised block=32 args="int32[1]=0 int32[32]= int32[64]=0"
extern "C" __global__ void offset_known_to_lane_0_only(int* count, const int* a, int* b) {
  __shared__ int base[32];
  if (threadIdx.x == 0) base[threadIdx.x] = atomicAdd(count, 32);
  __syncwarp();
  b[(base[threadIdx.x] + threadIdx.x) % 64] = a[threadIdx.x];  //! thread=1 count=31 hazard=address
}

// A shuffle that names a lane says where the value comes from: the other lanes have none to hand on.
//@ good offset_that_lane_0_hands_on grid=2 block=64 args="int32[1]=0 int32[128]= int32[128]"
extern "C" __global__ void offset_that_lane_0_hands_on(int* count, const int* a, int* b) {
  int base, lane = threadIdx.x % 32;
  if (lane == 0) base = atomicAdd(count, 32);
  base = __shfl_sync(0xffffffff, base, 0);
  b[base + lane] = a[blockIdx.x * 64 + threadIdx.x];
}

//@ good offset_in_shared_memory_that_lane_0_hands_on block=64 args="int32[1]=0 int32[64]= int32[64]"
extern "C" __global__ void offset_in_shared_memory_that_lane_0_hands_on(int* count, const int* a, int* b) {
  __shared__ int bases[64];
  if (threadIdx.x % 32 == 0) bases[threadIdx.x] = atomicAdd(count, 32);
  __syncwarp();
  int base = __shfl_sync(0xffffffff, bases[threadIdx.x], 0);
  b[base + threadIdx.x % 32] = a[threadIdx.x];
}

//@ good place_set_only_if_something_is_found block=32 args="int32[256]= int32[32]=0 7:int32"
extern "C" __global__ void place_set_only_if_something_is_found(const int* a, int* b, int wanted) {
  int place;
  bool found = false;
  #pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    if (a[threadIdx.x * 8 + i] % 11 == wanted) {
      place = i;
      found = true;
    }
  }
  if (found) b[threadIdx.x] = place;
}

//@ good named_barrier_from_two_places block=64 args="int32[64]= int32[64]"
// Whole warps may meet at a barrier from different places, as in kernels whose warps have different parts.
extern "C" __global__ void named_barrier_from_two_places(const int* a, int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    b[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    b[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    b[threadIdx.x] += s[63 - threadIdx.x];
  }
}

//@ good packed_bytes_added_without_carries block=32 args="uint8[128] uint8[96]"
// The lowest byte of each word has no value, and changes no other.
extern "C" __global__ void packed_bytes_added_without_carries(unsigned char* a, unsigned char* b) {
  for (int k = 1; k < 4; ++k) a[4 * threadIdx.x + k] = 50 * k + threadIdx.x;
  unsigned v = *(const unsigned*)(a + 4 * threadIdx.x), w = 0x60708090u;
  unsigned sum = ((v & 0x7f7f7f7fu) + (w & 0x7f7f7f7fu)) ^ ((v ^ w) & 0x80808080u);
  for (int k = 1; k < 4; ++k) b[3 * threadIdx.x + k - 1] = sum >> 8 * k;
}

//@ good low_half_of_a_product block=32 args="uint16[64] uint16[32] 40503:uint32"
extern "C" __global__ void low_half_of_a_product(unsigned short* a, unsigned short* b, unsigned factor) {
  a[2 * threadIdx.x] = threadIdx.x;
  unsigned v = *(const volatile unsigned*)(a + 2 * threadIdx.x);
  b[threadIdx.x] = (unsigned short)(v * factor - 3 * v + (v << 2));
}

//@ good bytes_chosen_by_a_permutation block=32 args="uint8[128] uint32[32]"
extern "C" __global__ void bytes_chosen_by_a_permutation(unsigned char* a, unsigned* b) {
  a[4 * threadIdx.x + 1] = 7;
  a[4 * threadIdx.x + 3] = threadIdx.x;
  unsigned v = *(const volatile unsigned*)(a + 4 * threadIdx.x);
  b[threadIdx.x] = __byte_perm(v, 0x01020304, 0x3175);
}

//@ good halves_beside_each_other_by_atomics grid=2 block=64 args="uint16[8]=0"
extern "C" __global__ void halves_beside_each_other_by_atomics(half* a) {
  atomicAdd(a + threadIdx.x % 8, __float2half(1.0f));
  if (threadIdx.x % 2 == 0) atomicAdd((half2*)a + threadIdx.x / 2 % 4, __floats2half2_rn(1, 2));
}

//@ good sum_cleared_by_the_first_to_come grid=3 block=32 args="int32[2]=0 int32[1] int32[96]="
// 0 nobody has been here, 1 somebody clears, 2 cleared.
extern "C" __global__ void sum_cleared_by_the_first_to_come(int* state, int* sum, const int* a) {
  if (threadIdx.x != 0) return;
  if (atomicCAS(state, 0, 1) == 0) {
    *sum = 0;
    __threadfence();
    atomicExch(state, 2);
  }
  while (atomicAdd(state, 0) != 2) {}
  __threadfence();
  atomicAdd(sum, a[blockIdx.x]);
}
