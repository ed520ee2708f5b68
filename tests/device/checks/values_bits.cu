// Values of which only some bits are defined: bit-fields, packed bytes and halves, shifts and masks.
#include <cuda_fp16.h>

struct Flags {
  unsigned a : 4, b : 8, c : 12, d : 8;
};
struct Signed {
  int low : 5, middle : 11, high : 16;
};
struct Three {
  unsigned char r, g, b;  // and a fourth byte, where words are read
};

//@ good low_bytes_of_sums block=32 args="uint8[128]= uint8[128]"
extern "C" __global__ void low_bytes_of_sums(const unsigned char* a, unsigned char* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 0; i < 3; ++i) s[threadIdx.x * 4 + i] = a[threadIdx.x * 4 + i];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x * 4);
  unsigned sum = v + 1, product = v * 3, difference = v - 7;
  b[threadIdx.x * 4] = (unsigned char)sum;
  b[threadIdx.x * 4 + 1] = (unsigned char)(product >> 8);
  b[threadIdx.x * 4 + 2] = (unsigned char)(difference >> 16);
}

//@ good unaligned_word_by_funnel_shift block=32 args="int32[33]= int32[32]"
extern "C" __global__ void unaligned_word_by_funnel_shift(const int* a, int* b) {
  __shared__ __align__(8) unsigned char s[32 * 8];
  unsigned char* mine = s + threadIdx.x * 8;
  for (int i = 0; i < 4; ++i) mine[1 + i] = (unsigned char)(a[threadIdx.x] >> (8 * i));
  unsigned low = *(volatile unsigned*)mine, high = *(volatile unsigned*)(mine + 4);
  b[threadIdx.x] = (int)__funnelshift_r(low, high, 8);
}

//@ good selected_by_masks block=32 args="int32[32]= int32[32]"
extern "C" __global__ void selected_by_masks(const int* a, int* b) {
  __shared__ unsigned s[64];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  ((unsigned short*)(s + 32 + threadIdx.x))[1] = (unsigned short)(a[threadIdx.x] >> 16);
  unsigned low = s[threadIdx.x], high = s[32 + threadIdx.x], mask = a[threadIdx.x] < 1000 ? 0xffffu : 0xffffu;
  b[threadIdx.x] = (int)((low & mask) | (high & ~mask));
}

//@ good fields_across_branches block=32 args="int32[32]= int32[32] int32[32]"
extern "C" __global__ void fields_across_branches(const int* a, Flags* f, int* b) {
  Flags* mine = f + threadIdx.x;
  mine->b = 0;
  if (a[threadIdx.x] % 3 == 0) mine->b = a[threadIdx.x];
  for (int i = 0; i < a[threadIdx.x] % 5; ++i) ++mine->b;
  b[threadIdx.x] = mine->b;
}

//@ good counting_field_in_shared block=32 args="int32[32]= int32[32]"
extern "C" __global__ void counting_field_in_shared(const int* a, int* b) {
  __shared__ Flags s[32];
  s[threadIdx.x].d = 0;
  for (int i = 0; i < a[threadIdx.x]; ++i) s[threadIdx.x].d += i;
  s[threadIdx.x].a = 3;
  s[threadIdx.x].a ^= 1;
  b[threadIdx.x] = s[threadIdx.x].d + s[threadIdx.x].a;
}

//@ good all_fields_in_turn block=32 args="int32[32]= uint32[32] int32[32]"
extern "C" __global__ void all_fields_in_turn(const int* a, Flags* f, int* b) {
  int v = a[threadIdx.x];
  f[threadIdx.x].a = v;
  f[threadIdx.x].b = v;
  b[threadIdx.x] = f[threadIdx.x].b;
  f[threadIdx.x].c = v;
  f[threadIdx.x].d = v;
}

//@ good signed_fields_decide block=32 args="int32[32]= int32[32]"
extern "C" __global__ void signed_fields_decide(const int* a, int* b) {
  __shared__ Signed s[32];
  s[threadIdx.x].high = a[threadIdx.x] - 16;
  s[threadIdx.x].low = a[threadIdx.x] - 16;
  __syncwarp();
  Signed v = s[31 - threadIdx.x];
  b[threadIdx.x] = v.high < 0 ? v.low : v.low > 3 ? 1 : 2;
}

//@ good halves_of_a_word block=32 args="float16[32]= float16[64]"
extern "C" __global__ void halves_of_a_word(const __half* a, __half* b) {
  __shared__ __half2 s[32];
  s[threadIdx.x].x = a[threadIdx.x];
  __half2 v = *(volatile unsigned*)&s[threadIdx.x] == 0 ? s[threadIdx.x] : s[threadIdx.x];
  b[2 * threadIdx.x] = __low2half(v);
}

//@ good half_of_a_packed_sum block=32 args="float16[32]= float16[64]"
extern "C" __global__ void half_of_a_packed_sum(const __half* a, __half* b) {
  __shared__ __half2 s[32];
  s[threadIdx.x].x = a[threadIdx.x];
  __half2 v = __hfma2(s[threadIdx.x], s[threadIdx.x], __float2half2_rn(1));
  b[2 * threadIdx.x] = __low2half(v);
  b[2 * threadIdx.x + 1] = __low2half(__hadd2(v, v));
}

//@ good three_colours_of_four block=32 args="uint8[128]= uint8[96]"
extern "C" __global__ void three_colours_of_four(const unsigned char* a, unsigned char* b) {
  __shared__ __align__(4) Three s[44];
  unsigned char* mine = (unsigned char*)s + 4 * threadIdx.x;
  for (int i = 0; i < 3; ++i) mine[i] = a[4 * threadIdx.x + i];
  uchar4 v = *(uchar4*)mine;
  b[3 * threadIdx.x] = v.z;
  b[3 * threadIdx.x + 1] = (v.x + v.y) / 2;
  b[3 * threadIdx.x + 2] = max(v.x, v.z);
}

//@ good bits_counted_below_a_mask block=32 args="int32[32]= int32[32]"
extern "C" __global__ void bits_counted_below_a_mask(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned char*)(s + threadIdx.x))[0] = (unsigned char)a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = __popc(v & 0xff) + __ffs((v << 24) | 1u << 23) + (int)(__brev(v) >> 24) + (int)((v | 0xffffff00u) >> 4) +
                   (int)((v & 0xf0) / 16) + (int)((v & 0xff) % 10);
}

//@ good comparison_decided_by_defined_bits block=32 args="int32[32]= int32[32]"
extern "C" __global__ void comparison_decided_by_defined_bits(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[1] = (unsigned short)(a[threadIdx.x] + 1);
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = v >= 0x10000u ? 1 : 2;
  if (v == 0) b[threadIdx.x] = 3;
}

//@ good set_of_bits_by_atomics block=32 args="int32[32]= int32[32]"
extern "C" __global__ void set_of_bits_by_atomics(const int* a, int* b) {
  __shared__ Flags s;
  if (threadIdx.x == 0) s.b = 0;
  __syncthreads();
  atomicOr((unsigned*)&s, 16u << (a[threadIdx.x] & 7));
  __syncthreads();
  b[threadIdx.x] = s.b;
}

//@ good fields_copied_by_the_engine block=32 args="int32[32]= int32[32] int32[32]"
extern "C" __global__ void fields_copied_by_the_engine(const int* a, Flags* f, int* b) {
  __shared__ __align__(16) Flags s[32];
  f[threadIdx.x].c = a[threadIdx.x];
  __syncthreads();
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(to), "l"(f + threadIdx.x) : "memory");
  b[threadIdx.x] = s[threadIdx.x].c;
}

__device__ __noinline__ int field_of(Flags f, int n) {
  f.c = n;
  return f.b + f.c;
}
//@ good fields_of_an_argument block=32 args="int32[32]= int32[32]"
extern "C" __global__ void fields_of_an_argument(const int* a, int* b) {
  __shared__ Flags s[32];
  s[threadIdx.x].b = a[threadIdx.x];
  b[threadIdx.x] = field_of(s[threadIdx.x], 5);
}

//@ good nothing_left_of_a_value block=32 args="int32[32]"
extern "C" __global__ void nothing_left_of_a_value(int* b) {
  __shared__ volatile unsigned s[32];
  unsigned v = s[threadIdx.x], zero, none, all, difference;
  asm volatile("xor.b32 %0, %1, %1;" : "=r"(zero) : "r"(v));
  asm volatile("and.b32 %0, %1, 0;" : "=r"(none) : "r"(v));
  asm volatile("or.b32 %0, %1, -1;" : "=r"(all) : "r"(v));
  asm volatile("sub.u32 %0, %1, %1;" : "=r"(difference) : "r"(v));
  b[threadIdx.x] = (int)(zero + none + all + difference + v * 0);
}

//@ bug field_beside_one_that_is_set uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void field_beside_one_that_is_set(const int* a, int* b) {
  __shared__ Flags s[32];
  s[threadIdx.x].b = a[threadIdx.x];
  b[threadIdx.x] = s[threadIdx.x].c;  //! thread=0 count=32 origin=shared
}

//@ bug field_that_decides uninitialised block=32 args="int32[32]= int32[32] int32[32]"
extern "C" __global__ void field_that_decides(const int* a, Flags* f, int* b) {
  f[threadIdx.x].a = a[threadIdx.x];
  f[threadIdx.x].c = a[threadIdx.x];
  b[threadIdx.x] = 1;
  if (f[threadIdx.x].b == 7) atomicAdd(b, 1);  //! thread=0 count=32 origin=global
}

//@ bug field_set_in_one_branch uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void field_set_in_one_branch(const int* a, int* b) {
  __shared__ Flags s[32];
  s[threadIdx.x].a = 1;
  if (a[threadIdx.x] < 30) s[threadIdx.x].b = 2;
  __syncwarp();
  b[threadIdx.x] = s[threadIdx.x].b;  //! thread=29 count=3 origin=shared
}

//@ bug sum_over_an_unset_byte uninitialised block=32 args="uint8[128]= int32[32]"
extern "C" __global__ void sum_over_an_unset_byte(const unsigned char* a, int* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 0; i < 3; ++i) s[threadIdx.x * 4 + i] = a[threadIdx.x * 4 + i];
  uchar4 v = *(uchar4*)(s + threadIdx.x * 4);
  b[threadIdx.x] = v.x + v.y + v.z + v.w;  //! thread=0 count=32 origin=shared
}

//@ bug carry_from_an_unset_byte uninitialised block=32 args="uint8[128]= uint8[32]"
extern "C" __global__ void carry_from_an_unset_byte(const unsigned char* a, unsigned char* b) {
  __shared__ __align__(4) unsigned char s[128];
  for (int i = 1; i < 4; ++i) s[threadIdx.x * 4 + i] = a[threadIdx.x * 4 + i];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x * 4) + 1;
  b[threadIdx.x] = (unsigned char)(v >> 8);  //! thread=0 count=32 origin=shared
}

//@ bug other_half_of_a_packed_sum uninitialised block=32 args="float16[32]= float16[32]"
extern "C" __global__ void other_half_of_a_packed_sum(const __half* a, __half* b) {
  __shared__ __half2 s[32];
  s[threadIdx.x].x = a[threadIdx.x];
  __half2 v = __hadd2(s[threadIdx.x], s[threadIdx.x]);
  b[threadIdx.x] = __high2half(v);  //! thread=0 count=32 origin=shared
}

//@ bug mask_that_lets_a_bit_through uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void mask_that_lets_a_bit_through(const int* a, int* b) {
  __shared__ Flags s[32];
  s[threadIdx.x].a = a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)(v & 0x1f);  //! thread=0 count=32 origin=shared
}

//@ bug shift_that_keeps_a_bit uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void shift_that_keeps_a_bit(const int* a, int* b) {
  __shared__ Flags s[32];
  s[threadIdx.x].a = a[threadIdx.x];
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)(v << 27);  //! thread=0 count=32 origin=shared
}

//@ bug sign_of_a_field_not_set uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void sign_of_a_field_not_set(const int* a, int* b) {
  __shared__ Signed s[32];
  s[threadIdx.x].low = a[threadIdx.x];
  b[threadIdx.x] = 1;
  if (s[threadIdx.x].high < 0) atomicAdd(b, 2);  //! thread=0 count=32 origin=shared
}

//@ bug comparison_of_unset_bits uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void comparison_of_unset_bits(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[1] = 1;
  unsigned v = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = 0;
  if (v > 0x10000u + a[threadIdx.x]) atomicAdd(b, 1);  //! thread=0 count=32 origin=shared
}

//@ bug field_copied_by_the_engine uninitialised block=32 args="int32[32]= int32[32] int32[32]"
extern "C" __global__ void field_copied_by_the_engine(const int* a, Flags* f, int* b) {
  __shared__ __align__(16) Flags s[32];
  f[threadIdx.x].c = a[threadIdx.x];
  __syncthreads();
  unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(to), "l"(f + threadIdx.x) : "memory");
  b[threadIdx.x] = s[threadIdx.x].b;  //! thread=0 count=32 origin=global
}

//@ bug bits_never_set_by_atomics uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void bits_never_set_by_atomics(const int* a, int* b) {
  __shared__ Flags s;
  if (threadIdx.x == 0) s.a = 0;
  __syncthreads();
  atomicOr((unsigned*)&s, 16u << (a[threadIdx.x] & 1));
  __syncthreads();
  b[threadIdx.x] = s.b;  //! thread=0 count=32 origin=shared
}

//@ good lowest_set_bits block=32 args="int32[32]= int32[160]"
extern "C" __global__ void lowest_set_bits(const int* a, int* b) {
  __shared__ unsigned s[32];
  __shared__ unsigned long long wide[32];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)(a[threadIdx.x] << 2);
  ((unsigned*)(wide + threadIdx.x))[0] = (unsigned)a[threadIdx.x];
  unsigned x = *(volatile unsigned*)(s + threadIdx.x);
  unsigned long long y = *(volatile unsigned long long*)(wide + threadIdx.x);
  b[threadIdx.x] = (int)(x & -x);
  b[32 + threadIdx.x] = (int)(y & -y);
  b[64 + threadIdx.x] = (int)(x ^ (x - 1));
  b[96 + threadIdx.x] = (int)(x | -x);
  b[128 + threadIdx.x] = (int)(x & (~x + 1));
}

//@ good selected_by_exclusive_or block=32 args="int32[32]= int32[32]= int32[32]"
extern "C" __global__ void selected_by_exclusive_or(const int* a, const int* mask, int* b) {
  __shared__ unsigned s[64];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  ((unsigned short*)(s + 32 + threadIdx.x))[1] = (unsigned short)a[threadIdx.x];
  unsigned low = *(volatile unsigned*)(s + threadIdx.x), high = *(volatile unsigned*)(s + 32 + threadIdx.x);
  unsigned m = mask[threadIdx.x] != 0 ? 0xffffu : 0u;
  b[threadIdx.x] = (int)(high ^ ((low ^ high) & m));
}

//@ bug lowest_bit_below_what_is_set uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void lowest_bit_below_what_is_set(const int* a, int* b) {
  __shared__ unsigned s[32];
  ((unsigned short*)(s + threadIdx.x))[1] = (unsigned short)a[threadIdx.x];
  unsigned x = *(volatile unsigned*)(s + threadIdx.x);
  b[threadIdx.x] = (int)(x & -x);  //! thread=0
}

//@ bug selected_what_is_not_set uninitialised block=32 args="int32[32]= int32[32]= int32[32]"
extern "C" __global__ void selected_what_is_not_set(const int* a, const int* mask, int* b) {
  __shared__ unsigned s[64];
  ((unsigned short*)(s + threadIdx.x))[0] = (unsigned short)a[threadIdx.x];
  ((unsigned short*)(s + 32 + threadIdx.x))[1] = (unsigned short)a[threadIdx.x];
  unsigned low = *(volatile unsigned*)(s + threadIdx.x), high = *(volatile unsigned*)(s + 32 + threadIdx.x);
  unsigned m = mask[threadIdx.x] != 0 ? 0x1ffffu : 0u;  // one bit too many
  b[threadIdx.x] = (int)(high ^ ((low ^ high) & m));  //! thread=0
}

// With -G a division by a power of two is one, and not a mask. (Otherwise NVRTC knows what of these
// unions has no value, and computes nothing.)
union Parts {
  unsigned char bytes[4];
  unsigned whole;
  int number;
};

//@ good multiple_below_a_number_without_low_byte block=64 args="int32[64]= int32[64]"
extern "C" __global__ void multiple_below_a_number_without_low_byte(const int* a, int* b) {
  Parts u;
  u.bytes[1] = u.bytes[2] = u.bytes[3] = (unsigned char)a[threadIdx.x];
  unsigned v = u.whole, begin = v - v % 256;
  if (begin > 1000) b[threadIdx.x] = (int)begin;
}

//@ good rest_of_a_number_with_one_byte block=64 args="int32[64]= int32[64]"
extern "C" __global__ void rest_of_a_number_with_one_byte(const int* a, int* b) {
  Parts u;
  u.bytes[0] = (unsigned char)a[threadIdx.x];
  unsigned v = u.whole, rest = v - v / 256 * 256;
  if (rest > 10) b[threadIdx.x] = (int)rest;
}

//@ good multiple_below_a_positive_number block=64 args="int32[64]= int32[64]"
extern "C" __global__ void multiple_below_a_positive_number(const int* a, int* b) {
  Parts u;
  u.bytes[1] = u.bytes[2] = (unsigned char)a[threadIdx.x];
  u.bytes[3] = 0;
  int v = u.number, begin = v - v % 256;
  if (begin > 1000) b[threadIdx.x] = begin;
}

//@ bug multiple_below_a_number_of_any_sign uninitialised only=debug block=64 args="int32[64]= int32[64]"
extern "C" __global__ void multiple_below_a_number_of_any_sign(const int* a, int* b) {
  Parts u;
  u.bytes[1] = u.bytes[2] = u.bytes[3] = (unsigned char)(128 + a[threadIdx.x]);
  int v = u.number, begin = v - v % 256;
  if (begin > 1000) b[threadIdx.x] = begin;  //! thread=0 count=64
}

//@ bug multiple_below_a_number_without_high_byte uninitialised only=debug block=64 args="int32[64]= int32[64]"
extern "C" __global__ void multiple_below_a_number_without_high_byte(const int* a, int* b) {
  Parts u;
  u.bytes[0] = u.bytes[1] = u.bytes[2] = (unsigned char)a[threadIdx.x];
  unsigned v = u.whole, begin = v - v % 256;
  if (begin > 0x7fffff) b[threadIdx.x] = 1;  //! thread=0 count=64
}

//@ bug rest_of_another_number uninitialised only=debug block=64 args="int32[64]= int32[64]"
extern "C" __global__ void rest_of_another_number(const int* a, int* b) {
  Parts u;
  u.bytes[1] = u.bytes[2] = u.bytes[3] = (unsigned char)a[threadIdx.x];
  unsigned v = u.whole, begin = v - v * 3 % 256;
  if (begin & 128) b[threadIdx.x] = 1;  //! thread=0 count=64
}
