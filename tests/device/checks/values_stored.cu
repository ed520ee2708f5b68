// Undefined values that are stored to memory of which it is known what it holds: numbers, vectors or records.
#include <cuda_fp16.h>

struct Fields {
  unsigned kind : 3, used : 1, id : 28;
};
struct Padded {
  float v;
  double w;
};
struct Slot {
  int used, value;
};
struct Letters {
  char kind, value, rest[2];
};

//@ bug masked_word uninitialised block=32 args="uint32[32]/4"
extern "C" __global__ void masked_word(unsigned* y) {
  __shared__ unsigned s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = s[threadIdx.x] & 0xf0;  //! thread=20 origin=shared argument=a index=20 count=12
}

//@ bug masked_by_variable uninitialised block=32 args="uint32[32]= uint32[32]/4"
extern "C" __global__ void masked_by_variable(const unsigned* m, unsigned* y) {
  __shared__ unsigned s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = s[threadIdx.x] & m[threadIdx.x];  //! thread=20 origin=shared index=20
}

//@ bug shifted_right uninitialised block=32 args="uint32[32]/4"
extern "C" __global__ void shifted_right(unsigned* y) {
  __shared__ unsigned s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = s[threadIdx.x] >> 8;  //! thread=20 origin=shared index=20
}

//@ bug shifted_left uninitialised block=32 args="uint32[32]/4"
extern "C" __global__ void shifted_left(unsigned* y) {
  __shared__ unsigned s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = s[threadIdx.x] << 16;  //! thread=20 origin=shared index=20
}

//@ bug times_a_power_of_two uninitialised block=32 args="uint32[32]/4"
extern "C" __global__ void times_a_power_of_two(unsigned* y) {
  __shared__ unsigned s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = s[threadIdx.x] * 256;  //! thread=20 origin=shared index=20
}

//@ bug exponent_of_a_float uninitialised block=32 args="float32[32]/4"
extern "C" __global__ void exponent_of_a_float(float* y) {
  __shared__ float s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = __int_as_float(__float_as_int(s[threadIdx.x]) & 0x7f800000);  //! thread=20 origin=shared index=20
}

//@ bug numbers_by_wide_stores uninitialised block=16 args="float32[64]/4"
extern "C" __global__ void numbers_by_wide_stores(float* y) {
  __shared__ __align__(16) float s[64];
  for (int i = threadIdx.x; i < 62; i += 16) s[i] = 0;
  __syncwarp();
  ((float4*)y)[threadIdx.x] = ((float4*)s)[threadIdx.x];  //! thread=15 origin=shared index=62 count=1
}

//@ bug pairs_by_words uninitialised block=32 args="int32[64]/4"
extern "C" __global__ void pairs_by_words(int* y) {
  __shared__ __align__(8) int s[64];
  s[2 * threadIdx.x] = 0;
  ((long long*)y)[threadIdx.x] = ((long long*)s)[threadIdx.x];  //! thread=0 origin=shared index=1 count=32
}

//@ bug halves_by_words uninitialised block=16 args="float16[32]/2"
extern "C" __global__ void halves_by_words(__half* y) {
  __shared__ __align__(4) __half s[32];
  s[2 * threadIdx.x] = __float2half(0.f);
  ((unsigned*)y)[threadIdx.x] = ((unsigned*)s)[threadIdx.x];  //! thread=0 origin=shared index=1
}

//@ bug vector_of_gathered_numbers uninitialised block=32 args="float32[32]= float32[128]/16"
extern "C" __global__ void vector_of_gathered_numbers(const float* x, float4* y) {
  __shared__ float s[40];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 2) s[t + 32] = x[t];
  __syncwarp();
  y[t] = make_float4(s[t], s[t + 1], s[t + 2], s[t + 3]);  //! thread=31 origin=shared index=127 count=1
}

//@ bug vector_of_one_unset_number uninitialised block=32 args="float32[64]/8"
extern "C" __global__ void vector_of_one_unset_number(float2* y) {
  __shared__ float s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = 0;
  y[threadIdx.x] = make_float2(0, s[threadIdx.x]);  //! thread=20 origin=shared index=41
}

//@ bug vector_of_one_unset_half uninitialised block=32 args="float16[64]/4"
extern "C" __global__ void vector_of_one_unset_half(__half2* y) {
  __shared__ __half s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = __float2half(0.f);
  y[threadIdx.x] = __halves2half2(__float2half(0.f), s[threadIdx.x]);  //! thread=20 origin=shared index=41
}

//@ bug vector_of_one_unset_byte uninitialised block=32 args="uint8[128]/4"
extern "C" __global__ void vector_of_one_unset_byte(uchar4* y) {
  __shared__ unsigned char r[32], g[32];
  int t = threadIdx.x;
  r[t] = 0;
  if (t < 20) g[t] = 0;
  y[t] = make_uchar4(r[t], g[t], r[t], 0);  //! thread=20 origin=shared index=81
}

//@ bug vector_without_any_value uninitialised block=32 args="float32[128]/16"
extern "C" __global__ void vector_without_any_value(float4* y) {
  __shared__ float4 s[32];
  if (threadIdx.x < 20) s[threadIdx.x] = make_float4(0, 0, 0, 0);
  y[threadIdx.x] = s[threadIdx.x];  //! thread=20 origin=shared index=80
}

//@ bug computed_member_of_a_record uninitialised block=32 args="int32[64]/record"
extern "C" __global__ void computed_member_of_a_record(Slot* y) {
  __shared__ Slot s[32];
  s[threadIdx.x].used = 1;
  Slot v = s[threadIdx.x];
  v.value = v.value * 3 + 1;
  y[threadIdx.x] = v;  //! thread=0 origin=shared
}

//@ good vector_copied_with_an_unset_member block=32 args="float32[128]/16 float32[32]/4"
extern "C" __global__ void vector_copied_with_an_unset_member(float4* a, float* b) {
  __shared__ float4 s[32];
  int t = threadIdx.x;
  s[t].x = t;
  s[t].y = t;
  s[t].z = t;
  float4 v = s[t];
  a[t] = v;
  float4 r = a[t];
  b[t] = r.x + r.y + r.z;
}

//@ good last_member_from_its_place only=optimised block=32 args="float32[128]/16"
extern "C" __global__ void last_member_from_its_place(float4* a) {
  __shared__ float4 s[32];
  a[threadIdx.x] = make_float4(1, 2, 3, *(volatile float*)&s[threadIdx.x].w);
}

//@ good vector_made_in_a_variable block=32 args="float32[128]/16"
extern "C" __global__ void vector_made_in_a_variable(float4* a) {
  float4 v;
  v.x = threadIdx.x;
  v.y = 2;
  v.z = 3;
  a[threadIdx.x] = v;
}

//@ good fields_copied_to_records block=32 args="uint32[32]/record uint32[32]/record int32[32]/4"
extern "C" __global__ void fields_copied_to_records(Fields* a, Fields* b, int* y) {
  int t = threadIdx.x;
  a[t].kind = t;
  __syncwarp();
  b[31 - t] = a[31 - t];
  __syncwarp();
  y[t] = b[t].kind;
}

//@ good unset_members_copied_to_records block=32 args="int32[64]/record int32[64]/record int32[32]/4"
extern "C" __global__ void unset_members_copied_to_records(Slot* a, Slot* b, int* y) {
  int t = threadIdx.x;
  a[t].used = t % 2;
  if (t % 2) a[t].value = t;
  __syncwarp();
  b[31 - t] = a[31 - t];
  __syncwarp();
  y[t] = b[t].used ? b[t].value : -1;
}

//@ good padding_copied_to_records block=32 args="float32[128]/record float32[128]/record float32[32]/4"
extern "C" __global__ void padding_copied_to_records(Padded* a, Padded* b, float* y) {
  int t = threadIdx.x;
  a[t].v = t;
  a[t].w = t;
  __syncwarp();
  b[31 - t] = a[31 - t];
  __syncwarp();
  y[t] = b[t].v;
}

//@ good letters_copied_to_records block=32 args="int32[32]= uint8[128]/record int32[32]/4"
extern "C" __global__ void letters_copied_to_records(const int* x, Letters* a, int* y) {
  __shared__ Letters s[32];
  int t = threadIdx.x;
  s[t].kind = 1;
  s[t].value = x[t];
  a[t] = s[t];
  Letters r = a[t];
  y[t] = r.value;
}

//@ good bits_of_numbers_go_back block=32 args="uint32[32]/4 int32[32]/4"
extern "C" __global__ void bits_of_numbers_go_back(unsigned* a, int* y) {
  int t = threadIdx.x;
  a[t] |= 1;
  a[t] &= ~2u;
  y[t] = a[t] & 3;
}

//@ good records_through_bytes block=32 args="uint8[256]/1 int32[32]/4"
extern "C" __global__ void records_through_bytes(unsigned char* a, int* y) {
  __shared__ Slot s[32];
  int t = threadIdx.x;
  s[t].used = t;
  *(Slot*)(a + 8 * t) = s[t];
  y[t] = ((Slot*)a)[t].used;
}

//@ good defined_numbers_by_wide_stores block=8 args="float32[30]= float32[32]/4"
extern "C" __global__ void defined_numbers_by_wide_stores(const float* x, float* y) {
  __shared__ __align__(16) float s[32];
  int t = threadIdx.x;
  for (int i = t; i < 30; i += 8) s[i] = x[i];
  __syncwarp();
  if (t < 7) ((float4*)y)[t] = ((float4*)s)[t];
  if (t == 7) ((float2*)y)[14] = ((float2*)s)[14];
}
