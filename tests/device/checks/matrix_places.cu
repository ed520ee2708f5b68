// Where matrices of wmma lie, and how far their rows are apart: by the rules of the programming guide.
//@ least 80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ void fill(half* s, int n) {
  for (int i = threadIdx.x; i < n; i += 32) s[i] = __int2half_rn(i % 5);
  __syncwarp();
}

//@ bug matrix_one_half_too_far misaligned_address block=32 args="float32[256] 1:int32" space=shared
extern "C" __global__ void matrix_one_half_too_far(float* out, int off) {
  __shared__ __align__(32) half s[272];
  fill(s, 272);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::fill_fragment(b, __float2half(1.0f));
  wmma::load_matrix_sync(a, s + off, 16);  //!
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//@ bug matrix_of_rows_with_one_number_of_padding misaligned_address block=32 args="float32[256]"
// What keeps the banks of other kernels apart is not allowed here.
extern "C" __global__ void matrix_of_rows_with_one_number_of_padding(float* out) {
  __shared__ __align__(32) float s[16 * 17];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 2.0f);
  wmma::store_matrix_sync(s, c, 17, wmma::mem_row_major);  //!
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) out[i] = s[i / 16 * 17 + i % 16];
}

//@ bug matrix_of_17_columns_in_global_memory misaligned_address block=32 args="uint16[272]= float32[256] 17:int32"
extern "C" __global__ void matrix_of_17_columns_in_global_memory(const half* in, float* out, int columns) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::fill_fragment(a, __float2half(1.0f));
  wmma::load_matrix_sync(b, in, columns);  //!
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//@ good matrix_of_rows_of_24_halves block=32 args="uint16[384]= float32[320]"
extern "C" __global__ void matrix_of_rows_of_24_halves(const half* in, float* out) {
  __shared__ __align__(32) half s[16 * 24];
  for (int i = threadIdx.x; i < 16 * 24; i += 32) s[i] = in[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, s, 24);
  wmma::load_matrix_sync(b, in, 24);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 20, wmma::mem_row_major);
}

//@ good matrices_of_bfloats_and_bytes block=32 args="float32[256] int32[256]"
extern "C" __global__ void matrices_of_bfloats_and_bytes(float* x, int* y) {
  __shared__ __align__(32) __nv_bfloat16 s[8 * 16 + 16 * 32];
  __shared__ __align__(32) signed char t[32 * 16];
  for (int i = threadIdx.x; i < 8 * 16 + 16 * 32; i += 32) s[i] = __float2bfloat16(i % 3);
  for (int i = threadIdx.x; i < 32 * 16; i += 32) t[i] = i % 7 - 3;
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> c;
  wmma::fill_fragment(c, 1.0f);
  wmma::load_matrix_sync(a, s, 16);
  wmma::load_matrix_sync(b, s + 8 * 16, 32);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(x, c, 32, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> d;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> e;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> f;
  wmma::fill_fragment(f, 0);
  wmma::load_matrix_sync(d, t, 16);
  wmma::load_matrix_sync(e, t + 256, 16);
  wmma::mma_sync(f, d, e, f);
  wmma::store_matrix_sync(y, f, 16, wmma::mem_row_major);
}
