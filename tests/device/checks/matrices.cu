// Undefined elements of matrices: handed on, and reported where a result depends on them.
//@ least 90
#include <cuda_fp16.h>
#include <mma.h>

__device__ unsigned at(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }

// Rows `first` and on of a tile of 16 rows have no values.
__device__ void fill_rows(half* tile, int first, int width) {
  for (int k = threadIdx.x; k < first * width; k += 32) tile[k] = __int2half_rn(k % 7);
  __syncwarp();
}

// c = a · ones, where a is 16 × 16 by rows.
__device__ void times_ones(const half* a, float (&c)[4]) {
  unsigned r[4], one = 0x3c003c00;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at(a + threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8)) : "memory");
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, {%9, %9, %9, %9};"
               : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
               : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(one), "f"(0.0f));
}

//@ good tail_of_a_product block=32 args="float32[128]/4 11:int32"
extern "C" __global__ void tail_of_a_product(float* b, int rows) {
  __shared__ __align__(16) half tile[16 * 16];
  fill_rows(tile, rows, 16);
  float c[4];
  times_ones(tile, c);
  int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
  for (int k = 0; k < 4; ++k) {
    int r = row + k / 2 * 8;
    if (r < rows) b[r * 8 + column + k % 2] = c[k];
  }
}

//@ bug whole_tail_of_a_product uninitialised block=32 args="float32[128]/4 11:int32"
extern "C" __global__ void whole_tail_of_a_product(float* b, int rows) {
  __shared__ __align__(16) half tile[16 * 16];
  fill_rows(tile, rows, 16);
  float c[4];
  times_ones(tile, c);
  int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
  for (int k = 0; k < 4; ++k) {
    int r = row + k / 2 * 8;
    // Row 11 is the first: row 3 of the lower half, lanes 12 to 15.
    if (r <= rows) b[r * 8 + column + k % 2] = c[k];  //! thread=12 origin=shared count=8 source=tile index=88
  }
}

__device__ void multiply(const half* a, const half* b, float* product) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(x, a, 16);
  wmma::load_matrix_sync(y, b, 16);
  wmma::mma_sync(sum, x, y, sum);
  wmma::store_matrix_sync(product, sum, 16, wmma::mem_row_major);
  __syncwarp();
}

//@ good tail_through_shared_memory block=32 args="float32[128]/4 11:int32"
extern "C" __global__ void tail_through_shared_memory(float* b, int rows) {
  __shared__ __align__(32) half tile[16 * 16], other[16 * 16];
  __shared__ __align__(32) float product[16 * 16];
  fill_rows(tile, rows, 16);
  fill_rows(other, 16, 16);
  multiply(tile, other, product);
  for (int k = threadIdx.x; k < rows * 8; k += 32) b[k] = product[k / 8 * 16 + k % 8];
}

//@ bug whole_tail_through_shared_memory uninitialised block=32 args="float32[128]/4 11:int32"
extern "C" __global__ void whole_tail_through_shared_memory(float* b, int rows) {
  __shared__ __align__(32) half tile[16 * 16], other[16 * 16];
  __shared__ __align__(32) float product[16 * 16];
  fill_rows(tile, rows, 16);
  fill_rows(other, 16, 16);
  multiply(tile, other, product);
  for (int k = threadIdx.x; k <= rows * 8; k += 32)
    b[k] = product[k / 8 * 16 + k % 8];  //! thread=24 origin=shared count=1 source=tile index=88
}

//@ bug stored_fragment uninitialised block=32 args="float32[256]/4"
extern "C" __global__ void stored_fragment(float* b) {
  using namespace nvcuda;
  __shared__ __align__(32) half tile[16 * 16];
  fill_rows(tile, 15, 16);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::fill_fragment(y, __int2half_rn(1));
  wmma::load_matrix_sync(x, tile, 16);
  wmma::mma_sync(sum, x, y, sum);
  wmma::store_matrix_sync(b, sum, 16, wmma::mem_row_major);  //! origin=shared count=16 source=tile argument=a
}

//@ good rows_moved_with_gaps block=32 args="uint32[32]"
extern "C" __global__ void rows_moved_with_gaps(unsigned* b) {
  __shared__ __align__(16) unsigned from[32], to[32];
  if (threadIdx.x % 4 != 3) from[threadIdx.x] = threadIdx.x;
  __syncwarp();
  unsigned v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at(from + threadIdx.x % 8 * 4)) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at(to + threadIdx.x % 8 * 4)), "r"(v) : "memory");
  __syncwarp();
  b[threadIdx.x] = to[threadIdx.x / 3 * 4 % 32 + threadIdx.x % 3];
}

//@ bug transposed_rows uninitialised block=32 args="uint32[32]/4"
extern "C" __global__ void transposed_rows(unsigned* b) {
  __shared__ __align__(16) unsigned from[32], to[32];
  if (threadIdx.x != 7) from[threadIdx.x] = threadIdx.x;  // row 1, columns 6 and 7
  __syncwarp();
  unsigned v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at(from + threadIdx.x % 8 * 4)) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at(to + threadIdx.x % 8 * 4)), "r"(v) : "memory");
  __syncwarp();
  b[threadIdx.x] = to[threadIdx.x];  //! thread=24 origin=shared count=2 source=from
}

// Triton stores a row from each lane that has its sum: of the same value, which harms nobody.
//@ bug equal_rows_at_one_place race block=32 args="uint32[32]" hazard=write_after_write severity=warning
extern "C" __global__ void equal_rows_at_one_place(unsigned* b) {
  __shared__ __align__(16) unsigned to[4];
  unsigned v = 0x00070007;
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at(to)), "r"(v) : "memory");  //!
  __syncwarp();
  b[threadIdx.x] = to[threadIdx.x % 4];
}

//@ bug rows_at_one_place race block=32 args="uint32[32]" hazard=write_after_write severity=error
extern "C" __global__ void rows_at_one_place(unsigned* b) {
  __shared__ __align__(16) unsigned to[4];
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at(to)), "r"(threadIdx.x) : "memory");  //!
  __syncwarp();
  b[threadIdx.x] = to[threadIdx.x % 4];
}

//@ bug product_stored_by_both_warps race block=64 args="float32[256]" hazard=write_after_write severity=warning
extern "C" __global__ void product_stored_by_both_warps(float* b) {
  using namespace nvcuda;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 2.0f);
  wmma::store_matrix_sync(b, c, 16, wmma::mem_row_major);  //!
}

//@ bug one_half_of_a_packed_sum uninitialised block=32 args="uint16[64]/2"
extern "C" __global__ void one_half_of_a_packed_sum(unsigned short* b) {
  // Column 1 of b has no values: half of what lanes 0, 4, … get; the others have two sums that have.
  __shared__ __align__(16) half columns[8 * 8];
  if (threadIdx.x >= 8 || threadIdx.x < 4) ((unsigned*)columns)[threadIdx.x] = 0x3c003c00;
  __syncwarp();
  unsigned v, one = 0x3c003c00, d[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at(columns + threadIdx.x % 8 * 8)) : "memory");
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2}, {%3}, {%4, %4};"
               : "=r"(d[0]), "=r"(d[1]) : "r"(one), "r"(v), "r"(0));
  b[threadIdx.x] = (unsigned short)d[0];
  b[32 + threadIdx.x] = (unsigned short)(d[0] >> 16);  //! thread=0 origin=shared count=8 source=columns
}

//@ bug one_cause_many_uses uninitialised block=32 args="int32[32]/4 int32[32]/4"
extern "C" __global__ void one_cause_many_uses(int* a, int* b) {
  __shared__ int s[33];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int v = s[threadIdx.x + 1];
  a[threadIdx.x] = v;  //! thread=31 origin=shared count=1 source=s says=it_is_also_used_to_decide_a_branch uses=+1,+2
  if (v > 40) a[0] = 1;
  b[v & 31] = 7;
}
