// Matrix descriptors that point elsewhere than memory that was written. Each kernel with a mistake has a twin, its `_right`, that
// differs by the one descriptor.
//@ least 90
//@ specific
#include "hopper.cuh"

__device__ __forceinline__ void fill(Tiles& s) {
  for (int i = threadIdx.x; i < 576; i += 128) s.a[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
}
__device__ __forceinline__ void put(float* out, const float* d) {
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
// Tiles with other bytes from core matrix to core matrix along k, and from one group of eight rows to the next.
__device__ __forceinline__ u64 matrix_by(const void* p, unsigned along_k, unsigned rows) {
  return (u64)((at(p) & 0x3ffff) >> 4) | (u64)(along_k >> 4) << 16 | (u64)(rows >> 4) << 32;
}
__device__ __forceinline__ void multiply(float* out, u64 a, u64 b) {
  float d[4] = {0, 0, 0, 0};
  FENCE;
  MULTIPLY(d, a, b);
  COMMIT;
  WAIT(0);
  put(out, d);
}
#define MULTIPLY_WIDE(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_TRANSPOSED(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_SPARSE(d, a, b, which) asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, %6, 0, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(which) : "memory")

// The bytes from one group of eight rows to the next are twice what they are.
//@ bug rows_at_twice_their_distance uninitialised block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void distance(float* out) {
  __shared__ Tiles s[2];
  fill(s[0]);
  multiply(out, matrix_by(s[0].a, 128, right ? 256 : 512), matrix_at(s[0].b));  //! count=192
}
extern "C" __global__ void rows_at_twice_their_distance(float* out) { distance<false>(out); }
//@ good rows_at_twice_their_distance_right block=128 args="float32[512]"
extern "C" __global__ void rows_at_twice_their_distance_right(float* out) { distance<true>(out); }

// The second half of each row of b is sought behind the tile.
//@ bug halves_of_rows_too_far_apart uninitialised block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void halves(float* out) {
  __shared__ Tiles s[2];
  fill(s[0]);
  multiply(out, matrix_at(s[0].a), matrix_by(s[0].b, right ? 128 : 1024, 256));  //! count=512
}
extern "C" __global__ void halves_of_rows_too_far_apart(float* out) { halves<false>(out); }
//@ good halves_of_rows_too_far_apart_right block=128 args="float32[512]"
extern "C" __global__ void halves_of_rows_too_far_apart_right(float* out) { halves<true>(out); }

// b has eight columns, and sixteen are multiplied.
//@ bug more_columns_than_the_tile_has uninitialised block=128 args="float32[1024]"
template <bool right>
__device__ __forceinline__ void columns(float* out) {
  __shared__ Tiles s[2];
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  fill(s[0]);
  FENCE;
  MULTIPLY_WIDE(d, matrix_at(s[0].a), matrix_at(right ? s[0].a : s[0].b));
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 8; ++k) out[threadIdx.x * 8 + k] = d[k];  //!
}
extern "C" __global__ void more_columns_than_the_tile_has(float* out) { columns<false>(out); }
//@ good more_columns_than_the_tile_has_right block=128 args="float32[1024]"
extern "C" __global__ void more_columns_than_the_tile_has_right(float* out) { columns<true>(out); }

// A step along k is counted in elements, where the descriptor has units of 16 bytes.
//@ bug step_along_k_in_elements uninitialised block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void step(float* out) {
  __shared__ alignas(1024) unsigned char a[32768], b[1024];
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 2048; i += 128) reinterpret_cast<unsigned*>(a)[i] = 0x3c003c00;
  for (int i = threadIdx.x; i < 256; i += 128) reinterpret_cast<unsigned*>(b)[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
  FENCE;
  for (int k = 0; k < 4; ++k) MULTIPLY(d, swizzled_at(a) + k * (right ? 2 : 512), swizzled_at(b) + 2 * k);  //! says=matrix_A
  COMMIT;
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void step_along_k_in_elements(float* out) { step<false>(out); }
//@ good step_along_k_in_elements_right block=128 args="float32[512]"
extern "C" __global__ void step_along_k_in_elements_right(float* out) { step<true>(out); }

// The ring's index is one ahead of the tile that has come.
//@ bug stage_that_has_not_come uninitialised block=128 args="float32[1152]= float32[512]"
template <bool right>
__device__ __forceinline__ void stage(const float* in, float* out) {
  __shared__ Tiles s[3];
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    INIT_FENCE;
    EXPECT(&full, 4608);
    for (int k = 0; k < 2; ++k) BULK_IN(&s[k], in + k * 576, 2304, &full);
  }
  __syncthreads();
  wait_for(&full, 0);
  const int k = right ? 1 : 2;
  multiply(out, matrix_at(s[k].a), matrix_at(s[1].b));  //! says=matrix_A
}
extern "C" __global__ void stage_that_has_not_come(const float* in, float* out) { stage<false>(in, out); }
//@ good stage_that_has_not_come_right block=128 args="float32[1152]= float32[512]"
extern "C" __global__ void stage_that_has_not_come_right(const float* in, float* out) { stage<true>(in, out); }

// The two matrices are exchanged: b has no 64 rows.
//@ bug matrices_exchanged illegal_address block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void exchanged(float* out) {
  __shared__ Tiles s;
  fill(s);
  multiply(out, matrix_at(right ? s.a : s.b), matrix_at(right ? s.b : s.a));  //! space=shared
}
extern "C" __global__ void matrices_exchanged(float* out) { exchanged<false>(out); }
//@ good matrices_exchanged_right block=128 args="float32[512]"
extern "C" __global__ void matrices_exchanged_right(float* out) { exchanged<true>(out); }

// The tile lies by columns, of 128 bytes each, and the descriptor is the one for rows.
//@ bug columns_multiplied_as_rows uninitialised block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void by_columns(float* out) {
  __shared__ alignas(1024) unsigned char a[8192], b[1024];
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 512; i += 128) reinterpret_cast<unsigned*>(a)[i] = 0x3c003c00;
  for (int i = threadIdx.x; i < 256; i += 128) reinterpret_cast<unsigned*>(b)[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
  FENCE;
  if (right) MULTIPLY_TRANSPOSED(d, swizzled_at(a), swizzled_at(b));
  else MULTIPLY(d, swizzled_at(a), swizzled_at(b));
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];  //!
}
extern "C" __global__ void columns_multiplied_as_rows(float* out) { by_columns<false>(out); }
//@ good columns_multiplied_as_rows_right block=128 args="float32[512]"
extern "C" __global__ void columns_multiplied_as_rows_right(float* out) { by_columns<true>(out); }

// A sparse matrix has half of its columns in memory, and b all of its rows.
//@ bug half_of_the_rows_of_b uninitialised block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void half_of_b(float* out) {
  __shared__ Tiles s[2];
  float d[4] = {0, 0, 0, 0};
  fill(s[0]);
  FENCE;
  MULTIPLY_SPARSE(d, matrix_at(s[0].a), matrix_at(right ? s[0].a : s[0].b), 0x44444444u);
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];  //!
}
extern "C" __global__ void half_of_the_rows_of_b(float* out) { half_of_b<false>(out); }
//@ good half_of_the_rows_of_b_right block=128 args="float32[512]"
extern "C" __global__ void half_of_the_rows_of_b_right(float* out) { half_of_b<true>(out); }

// A pointer's lower bits, where an address in shared memory is needed.
//@ bug generic_address_in_the_descriptor illegal_address block=128 args="float32[512]"
template <bool right>
__device__ __forceinline__ void generic(float* out) {
  __shared__ Tiles s;
  fill(s);
  const u64 address = right ? at(s.a) : reinterpret_cast<u64>(s.a) + 0x20000;
  multiply(out, (address & 0x3ffff) >> 4 | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32, matrix_at(s.b));  //! space=shared
}
extern "C" __global__ void generic_address_in_the_descriptor(float* out) { generic<false>(out); }
//@ good generic_address_in_the_descriptor_right block=128 args="float32[512]"
extern "C" __global__ void generic_address_in_the_descriptor_right(float* out) { generic<true>(out); }
