// Where matrices of wmma begin and how far their rows are apart: 16 bytes, or what a thread holds if that is less.
//@ least 80
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

//@ bug rows_of_18_floats_stored misaligned_address block=32 args="float32[320]"
extern "C" __global__ void rows_of_18_floats_stored(float* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 2.0f);
  wmma::store_matrix_sync(out, c, 18, wmma::mem_row_major);  //! count=32 access=write
}

//@ bug four_halves_behind misaligned_address block=32 args="uint16[512]= float32[256]"
extern "C" __global__ void four_halves_behind(const half* in, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, in + 4, 16);  //! index=4
  wmma::load_matrix_sync(b, in, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//@ bug rows_of_20_halves_in_shared_memory misaligned_address block=32 args="float32[256]" space=shared
extern "C" __global__ void rows_of_20_halves_in_shared_memory(float* out) {
  __shared__ __align__(32) half s[16 * 20];
  for (int i = threadIdx.x; i < 320; i += 32) s[i] = __float2half(1.0f);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, s, 20);  //!
  wmma::fill_fragment(b, __float2half(1.0f));
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//@ good eight_halves_behind block=32 args="uint16[512]= float32[256]"
extern "C" __global__ void eight_halves_behind(const half* in, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, in + 8, 24);
  wmma::load_matrix_sync(b, in + 16, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//@ good rows_of_bytes_eight_apart block=32 args="int8[768]= int32[320]"
extern "C" __global__ void rows_of_bytes_eight_apart(const signed char* in, int* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 0);
  wmma::load_matrix_sync(a, in + 8, 24);
  wmma::load_matrix_sync(b, in, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 20, wmma::mem_row_major);
}
