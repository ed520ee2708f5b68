// Products of warpgroups whose operands are overwritten or read before the wait, or have no wgmma.fence. Each kernel with a mistake
// has a twin, its `_right`, that differs by the one line that is missing.
//@ least 90
//@ specific
#include "hopper.cuh"

__device__ __forceinline__ void fill(Tiles& s) {
  for (int i = threadIdx.x % 128; i < 576; i += 128) s.a[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
}
__device__ __forceinline__ void put(float* out, const float* d) {
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
// The wait for the product, and all threads have it behind them.
__device__ __forceinline__ void finish() {
  WAIT(0);
  MEET(1 + threadIdx.x / 128, 128);
}
#define MULTIPLY_WIDE(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_BYTES(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_FP8(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0, %1, %2, %3}, %4, %5, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_SPARSE(d, a, b, which) asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, %6, 0, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(which) : "memory")
#define MULTIPLY_F16(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, 1, 1, 1, 0, 0;" : "+r"(d[0]), "+r"(d[1]) : "l"(a), "l"(b) : "memory")
#define ADD_IN_PLACE(d, v) asm volatile("add.f32 %0, %0, %1;" : "+f"(d) : "f"(v))

//@ bug tile_under_small_copies race block=128 args="uint32[512]= float32[512]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void small_copies(const unsigned* in, float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  if (right) finish();
  COPY16(s.a + threadIdx.x * 4, in + threadIdx.x * 4);  //!
  WAIT(0);
  WAIT_COPIES;
  put(out, d);
}
extern "C" __global__ void tile_under_small_copies(const unsigned* in, float* out) { small_copies<false>(in, out); }
//@ good tile_under_small_copies_right block=128 args="uint32[512]= float32[512]"
extern "C" __global__ void tile_under_small_copies_right(const unsigned* in, float* out) { small_copies<true>(in, out); }

//@ bug matrices_stored_over_the_tile race block=128 args="float32[512]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void stored_matrices(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  unsigned v[4] = {threadIdx.x, 1, 2, 3};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  if (right) finish();
  STORE_MATRICES(s.a + threadIdx.x * 4, v);  //!
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void matrices_stored_over_the_tile(float* out) { stored_matrices<false>(out); }
//@ good matrices_stored_over_the_tile_right block=128 args="float32[512]"
extern "C" __global__ void matrices_stored_over_the_tile_right(float* out) { stored_matrices<true>(out); }

//@ bug box_over_the_tile race block=128 args="float16[8192]= map16:64x128:64x64:3 float32[512]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void box_over(const Map& map, float* out) {
  __shared__ alignas(1024) unsigned char a[8192], b[8192];
  __shared__ u64 full, next;
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    INIT(&next, 1);
    INIT_FENCE;
    EXPECT(&full, 16384);
    BOX_IN(a, &map, 0, 0, &full);
    BOX_IN(b, &map, 0, 64, &full);
  }
  __syncthreads();
  float d[4] = {0, 0, 0, 0};
  wait_for(&full, 0);
  FENCE;
  MULTIPLY(d, swizzled_at(a), swizzled_at(b));
  COMMIT;
  if (right) finish();
  if (threadIdx.x == 0) {
    EXPECT(&next, 8192);
    BOX_IN(b, &map, 0, 0, &next);  //!
  }
  WAIT(0);
  wait_for(&next, 0);
  put(out, d);
}
extern "C" __global__ void box_over_the_tile(const void*, const __grid_constant__ Map map, float* out) { box_over<false>(map, out); }
//@ good box_over_the_tile_right block=128 args="float16[8192]= map16:64x128:64x64:3 float32[512]"
extern "C" __global__ void box_over_the_tile_right(const void*, const __grid_constant__ Map map, float* out) { box_over<true>(map, out); }

//@ bug sums_added_into_the_tile race block=128 args="float32[512]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void added_into(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  if (right) finish();
  atomicAdd(s.b + threadIdx.x % 64, 1u);  //!
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void sums_added_into_the_tile(float* out) { added_into<false>(out); }
//@ good sums_added_into_the_tile_right block=128 args="float32[512]"
extern "C" __global__ void sums_added_into_the_tile_right(float* out) { added_into<true>(out); }

// The other warpgroup fills the tile anew once it has heard that it may.
//@ bug told_before_the_wait race block=256 args="float32[512]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void told(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  if (threadIdx.x < 128)
    for (int i = threadIdx.x; i < 576; i += 128) s.a[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
  if (threadIdx.x >= 128) {
    MEET(3, 256);
    for (int i = threadIdx.x - 128; i < 576; i += 128) s.a[i] = 0;  //!
    return;
  }
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (right) WAIT(0);
  MEET_ARRIVE(3, 256);
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void told_before_the_wait(float* out) { told<false>(out); }
//@ good told_before_the_wait_right block=256 args="float32[512]"
extern "C" __global__ void told_before_the_wait_right(float* out) { told<true>(out); }

// The other block of the cluster brings the next tile into this one's memory.
//@ bug neighbour_told_before_the_wait race grid=2 block=128 args="float32[576]= float32[1024]" hazard=write_after_read
template <bool right>
__device__ __forceinline__ void neighbour_told(const float* in, float* out) {
  __shared__ Tiles s;
  __shared__ u64 full, empty;
  float d[4] = {0, 0, 0, 0};
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    INIT(&empty, 2);
    INIT_FENCE;
    EXPECT(&full, 2304);
  }
  fill(s);
  CLUSTER;
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (right) WAIT(0);
  if (threadIdx.x == 0) ARRIVE_AT(&empty, 0);
  if (threadIdx.x == 0 && rank_in_cluster() == 0) {
    wait_in_cluster(&empty, 0);
    BULK_IN_ALL(&s, in, 2304, &full, 3);  //!
  }
  WAIT(0);
  wait_for(&full, 0);
  CLUSTER;
  put(out + rank_in_cluster() * 512, d);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbour_told_before_the_wait(const float* in, float* out) { neighbour_told<false>(in, out); }
//@ good neighbour_told_before_the_wait_right grid=2 block=128 args="float32[576]= float32[1024]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbour_told_before_the_wait_right(const float* in, float* out) { neighbour_told<true>(in, out); }

// A word of the tile is stored by the other block.
//@ bug word_stored_by_the_neighbour_before_the_wait race grid=2 block=128 args="float32[1024]"
template <bool right>
__device__ __forceinline__ void stored_by_neighbour(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  CLUSTER;
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  if (right) WAIT(0);
  CLUSTER;
  if (threadIdx.x < 32) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_block(s.b + threadIdx.x, rank_in_cluster() ^ 1)), "r"(0) : "memory");  //! hazard=write
  WAIT(0);
  CLUSTER;
  put(out + rank_in_cluster() * 512, d);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) word_stored_by_the_neighbour_before_the_wait(float* out) { stored_by_neighbour<false>(out); }
//@ good word_stored_by_the_neighbour_before_the_wait_right grid=2 block=128 args="float32[1024]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) word_stored_by_the_neighbour_before_the_wait_right(float* out) { stored_by_neighbour<true>(out); }

//@ bug result_shuffled_before_the_wait race only=optimised block=128 args="float32[512]" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void shuffled(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (right) WAIT(0);
  float sum = __shfl_xor_sync(~0u, d[0], 1);  //!
  WAIT(0);
  out[threadIdx.x] = sum;
}
extern "C" __global__ void result_shuffled_before_the_wait(float* out) { shuffled<false>(out); }
//@ good result_shuffled_before_the_wait_right block=128 args="float32[512]"
extern "C" __global__ void result_shuffled_before_the_wait_right(float* out) { shuffled<true>(out); }

// Three groups are committed, and two of them are under way.
//@ bug second_of_three_groups_read race only=optimised block=128 args="float32[512]" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void three_groups(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0}, f[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  MULTIPLY(e, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  MULTIPLY(f, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  if (right) WAIT(1);
  else WAIT(2);
  const float sum = d[0] + e[1];  //!
  WAIT(0);
  out[threadIdx.x] = sum + f[2];
}
extern "C" __global__ void second_of_three_groups_read(float* out) { three_groups<false>(out); }
//@ good second_of_three_groups_read_right block=128 args="float32[512]"
extern "C" __global__ void second_of_three_groups_read_right(float* out) { three_groups<true>(out); }

//@ bug waited_for_by_the_other_warpgroup race only=optimised block=256 args="float32[1024]" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void other_waits(float* out) {
  __shared__ Tiles s[2];
  float d[4] = {0, 0, 0, 0};
  fill(s[threadIdx.x / 128]);
  FENCE;
  MULTIPLY(d, matrix_at(s[threadIdx.x / 128].a), matrix_at(s[0].b));  //~
  COMMIT;
  if (right || threadIdx.x < 128) WAIT(0);
  __syncthreads();
  out[threadIdx.x] = d[3];  //! thread=128
  WAIT(0);
}
extern "C" __global__ void waited_for_by_the_other_warpgroup(float* out) { other_waits<false>(out); }
//@ good waited_for_by_the_other_warpgroup_right block=256 args="float32[1024]"
extern "C" __global__ void waited_for_by_the_other_warpgroup_right(float* out) { other_waits<true>(out); }

//@ bug sums_of_bytes_read_before_the_wait race only=optimised block=128 args="int32[512]" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void bytes_sums(int* out) {
  __shared__ Tiles s;
  int d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY_BYTES(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (right) WAIT(0);
  out[threadIdx.x] = d[0] + d[3];  //!
  WAIT(0);
}
extern "C" __global__ void sums_of_bytes_read_before_the_wait(int* out) { bytes_sums<false>(out); }
//@ good sums_of_bytes_read_before_the_wait_right block=128 args="int32[512]"
extern "C" __global__ void sums_of_bytes_read_before_the_wait_right(int* out) { bytes_sums<true>(out); }

//@ bug sums_of_fp8_promoted_before_the_wait race only=optimised block=128 args="float32[512] 3:int32" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void promoted(float* out, int n) {
  __shared__ Tiles s;
  float sum[4] = {0, 0, 0, 0};
  fill(s);
  for (int i = 0; i < n; ++i) {
    float d[4] = {0, 0, 0, 0};
    FENCE;
    MULTIPLY_FP8(d, matrix_at(s.a), matrix_at(s.b));  //~
    COMMIT;
    if (right) WAIT(0);
    for (int k = 0; k < 4; ++k) sum[k] += 0.5f * d[k];  //!
    WAIT(0);
  }
  put(out, sum);
}
extern "C" __global__ void sums_of_fp8_promoted_before_the_wait(float* out, int n) { promoted<false>(out, n); }
//@ good sums_of_fp8_promoted_before_the_wait_right block=128 args="float32[512] 3:int32"
extern "C" __global__ void sums_of_fp8_promoted_before_the_wait_right(float* out, int n) { promoted<true>(out, n); }

//@ bug sparse_result_read_before_the_wait race only=optimised block=128 args="float32[512]" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void sparse_result(float* out) {
  __shared__ Tiles s, more;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  fill(more);
  FENCE;
  MULTIPLY_SPARSE(d, matrix_at(s.a), matrix_at(more.a), 0x44444444u);  //~
  COMMIT;
  if (right) WAIT(0);
  out[threadIdx.x] = d[0];  //!
  WAIT(0);
}
extern "C" __global__ void sparse_result_read_before_the_wait(float* out) { sparse_result<false>(out); }
//@ good sparse_result_read_before_the_wait_right block=128 args="float32[512]"
extern "C" __global__ void sparse_result_read_before_the_wait_right(float* out) { sparse_result<true>(out); }

//@ bug packed_result_stored_before_the_wait race only=optimised block=128 args="uint32[512]" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void packed_result(unsigned* out) {
  __shared__ Tiles s;
  __shared__ alignas(128) unsigned staged[256];
  unsigned d[2] = {0, 0};
  fill(s);
  FENCE;
  MULTIPLY_F16(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (right) WAIT(0);
  staged[threadIdx.x * 2] = d[0];
  staged[threadIdx.x * 2 + 1] = d[1];  //!
  WAIT(0);
  __syncthreads();
  out[threadIdx.x] = staged[255 - threadIdx.x];
}
extern "C" __global__ void packed_result_stored_before_the_wait(unsigned* out) { packed_result<false>(out); }
//@ good packed_result_stored_before_the_wait_right block=128 args="uint32[512]"
extern "C" __global__ void packed_result_stored_before_the_wait_right(unsigned* out) { packed_result<true>(out); }

// The last group is committed in the last round only if it is an even one.
//@ bug last_round_not_committed race only=optimised block=128 args="float32[512] 3:int32" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void last_round(float* out, int n) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  for (int i = 0; i < n; ++i) {
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
    if (right || i % 2 == 1) COMMIT;
  }
  WAIT(0);
  put(out, d);  //!
}
extern "C" __global__ void last_round_not_committed(float* out, int n) { last_round<false>(out, n); }
//@ good last_round_not_committed_right block=128 args="float32[512] 3:int32"
extern "C" __global__ void last_round_not_committed_right(float* out, int n) { last_round<true>(out, n); }

// The loop leaves one group under way, and nothing waits for it behind the loop.
//@ bug one_group_left_by_the_loop race only=optimised block=128 args="float32[512] 3:int32" hazard=read_before_the_wait
template <bool right>
__device__ __forceinline__ void left_by_loop(float* out, int n) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  for (int i = 0; i < n; ++i) {
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
    COMMIT;
    WAIT(1);
  }
  if (right) WAIT(0);
  put(out, d);  //!
}
extern "C" __global__ void one_group_left_by_the_loop(float* out, int n) { left_by_loop<false>(out, n); }
//@ good one_group_left_by_the_loop_right block=128 args="float32[512] 3:int32"
extern "C" __global__ void one_group_left_by_the_loop_right(float* out, int n) { left_by_loop<true>(out, n); }

// --- without a wgmma.fence

//@ bug scaled_between_tiles_without_a_fence race only=optimised block=128 args="float32[512]= float32[512] 3:int32" hazard=no_fence
template <bool right>
__device__ __forceinline__ void scaled(const float* in, float* out, int n) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  for (int i = 0; i < n; ++i) {
    if (right) FENCE;
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //!
    COMMIT;
    WAIT(0);
    for (int k = 0; k < 4; ++k) d[k] *= in[i];  //~
  }
  put(out, d);
}
extern "C" __global__ void scaled_between_tiles_without_a_fence(const float* in, float* out, int n) { scaled<false>(in, out, n); }
//@ good scaled_between_tiles_without_a_fence_right block=128 args="float32[512]= float32[512] 3:int32"
extern "C" __global__ void scaled_between_tiles_without_a_fence_right(const float* in, float* out, int n) { scaled<true>(in, out, n); }

//@ bug fence_in_the_first_round race only=optimised block=128 args="float32[512]= float32[512] 3:int32" hazard=no_fence
template <bool right>
__device__ __forceinline__ void first_round(const float* in, float* out, int n) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  for (int i = 0; i < n; ++i) {
    if (right || i == 0) FENCE;
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //!
    COMMIT;
    WAIT(0);
    out[i * 128 + threadIdx.x] = d[i & 1];  //~
    d[0] += in[i];  //~
  }
}
extern "C" __global__ void fence_in_the_first_round(const float* in, float* out, int n) { first_round<false>(in, out, n); }
//@ good fence_in_the_first_round_right block=128 args="float32[512]= float32[512] 3:int32"
extern "C" __global__ void fence_in_the_first_round_right(const float* in, float* out, int n) { first_round<true>(in, out, n); }

//@ bug wider_product_of_the_same_registers race only=optimised block=128 args="float32[1024]" hazard=no_fence
template <bool right>
__device__ __forceinline__ void wider(float* out) {
  __shared__ Tiles s;
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (right) {
    WAIT(0);
    FENCE;
  }
  MULTIPLY_WIDE(d, matrix_at(s.a), matrix_at(s.a));  //! says=different_shapes
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 8; ++k) out[threadIdx.x * 8 + k] = d[k];
}
extern "C" __global__ void wider_product_of_the_same_registers(float* out) { wider<false>(out); }
//@ good wider_product_of_the_same_registers_right block=128 args="float32[1024]"
extern "C" __global__ void wider_product_of_the_same_registers_right(float* out) { wider<true>(out); }

//@ bug rows_loaded_behind_the_fence race only=optimised block=128 args="float32[512]" hazard=no_fence
template <bool right>
__device__ __forceinline__ void loaded_rows(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  unsigned a[4];
  fill(s);
  FENCE;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at(s.a + threadIdx.x * 4)) : "memory");  //~
  if (right) FENCE;
  MULTIPLY_REGISTERS(d, a, matrix_at(s.b));  //!
  COMMIT;
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void rows_loaded_behind_the_fence(float* out) { loaded_rows<false>(out); }
//@ good rows_loaded_behind_the_fence_right block=128 args="float32[512]"
extern "C" __global__ void rows_loaded_behind_the_fence_right(float* out) { loaded_rows<true>(out); }

//@ bug sums_so_far_loaded_behind_the_fence race only=optimised block=128 args="float32[512]= float32[512]" hazard=no_fence
template <bool right>
__device__ __forceinline__ void sums_so_far(const float* in, float* out) {
  __shared__ Tiles s;
  float d[4];
  fill(s);
  FENCE;
  for (int k = 0; k < 4; ++k) d[k] = in[threadIdx.x * 4 + k];  //~
  if (right) FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //!
  COMMIT;
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void sums_so_far_loaded_behind_the_fence(const float* in, float* out) { sums_so_far<false>(in, out); }
//@ good sums_so_far_loaded_behind_the_fence_right block=128 args="float32[512]= float32[512]"
extern "C" __global__ void sums_so_far_loaded_behind_the_fence_right(const float* in, float* out) { sums_so_far<true>(in, out); }

//@ bug fence_behind_the_product race only=optimised block=128 args="float32[512]= float32[512]" hazard=no_fence
template <bool right>
__device__ __forceinline__ void behind(const float* in, float* out) {
  __shared__ Tiles s;
  float d[4];
  fill(s);
  for (int k = 0; k < 4; ++k) d[k] = in[threadIdx.x * 4 + k];
  if (right) FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //! says=first ; race says=is_changed
  FENCE;
  COMMIT;
  WAIT(0);
  put(out, d);
}
extern "C" __global__ void fence_behind_the_product(const float* in, float* out) { behind<false>(in, out); }
//@ good fence_behind_the_product_right block=128 args="float32[512]= float32[512]"
extern "C" __global__ void fence_behind_the_product_right(const float* in, float* out) { behind<true>(in, out); }

// The second sum begins with numbers that are added while the first product is under way.
//@ bug second_sum_begun_without_a_fence race only=optimised block=128 args="float32[512]= float32[512]" hazard=no_fence
template <bool right>
__device__ __forceinline__ void second_sum(const float* in, float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0}, e[4] = {1, 2, 3, 4};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  for (int k = 0; k < 4; ++k) ADD_IN_PLACE(e[k], in[threadIdx.x]);  //~
  if (right) FENCE;
  MULTIPLY(e, matrix_at(s.a), matrix_at(s.b));  //!
  COMMIT;
  WAIT(0);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k] + e[k];
}
extern "C" __global__ void second_sum_begun_without_a_fence(const float* in, float* out) { second_sum<false>(in, out); }
//@ good second_sum_begun_without_a_fence_right block=128 args="float32[512]= float32[512]"
extern "C" __global__ void second_sum_begun_without_a_fence_right(const float* in, float* out) { second_sum<true>(in, out); }
