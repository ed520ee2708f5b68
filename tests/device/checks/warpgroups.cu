// Products of warpgroups (wgmma): with one mistake each, and correct ones.
//@ least 90
//@ specific
typedef unsigned long long u64;
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
// Rows of 32 bytes in groups of eight, by halves of 128 bytes, one behind the other.
__device__ u64 matrix_at(const void* p) {
  return (u64)((at(p) & 0x3ffff) >> 4) | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32;
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
#define PROXY asm volatile("fence.proxy.async;" ::: "memory")
#define MULTIPLY(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")
#define MULTIPLY_REGISTERS(d, a, b) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory")
#define INIT(bar, n) asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.mbarrier_init.release.cluster;" ::"r"(at(bar)), "r"(n) : "memory")
#define EXPECT(bar, n) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(at(bar)), "r"(n) : "memory")
#define ARRIVE(bar) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(bar)) : "memory")
#define BULK_IN(to, from, n, bar) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(n), "r"(at(bar)) : "memory")
__device__ void wait_for(const void* bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
  } while (!done);
}
struct alignas(128) Tiles { unsigned a[512], b[64]; };
__device__ void fill(Tiles& s) {
  for (int i = threadIdx.x; i < 512; i += 128) s.a[i] = 0x3c003c00;
  if (threadIdx.x < 64) s.b[threadIdx.x] = 0x3c003c00;
}
__device__ void ready(Tiles& s) {
  fill(s);
  PROXY;
  __syncthreads();
}
__device__ void put(float* out, const float* d) {
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}

//@ good product block=128 args="float32[512]"
extern "C" __global__ void product(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ good product_of_registers block=128 args="float32[512] 3:int32"
extern "C" __global__ void product_of_registers(float* out, int n) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  unsigned a[4] = {threadIdx.x, 1, 2, 3};
  ready(s);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) a[k] += 0x3c00;
    FENCE;
    MULTIPLY_REGISTERS(d, a, matrix_at(s.b));
    MULTIPLY_REGISTERS(d, a, matrix_at(s.b));
    COMMIT;
    WAIT(0);
  }
  put(out, d);
}

//@ bug result_read_before_the_wait race only=optimised block=128 args="float32[512]" hazard=read_before_the_wait
extern "C" __global__ void result_read_before_the_wait(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  out[threadIdx.x] = d[1];  //! says=has_waited_for_it
  WAIT(0);
}

//@ bug wait_leaves_the_group_under_way race only=optimised block=128 args="float32[512]" hazard=read_before_the_wait
extern "C" __global__ void wait_leaves_the_group_under_way(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  MULTIPLY(e, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  WAIT(1);
  out[threadIdx.x] = d[0];
  out[threadIdx.x + 128] = e[0];  //!
  WAIT(0);
}

//@ bug group_not_committed race only=optimised block=128 args="float32[512]" hazard=read_before_the_wait
extern "C" __global__ void group_not_committed(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  WAIT(0);
  out[threadIdx.x] = d[0];  //!
}

//@ bug result_changed_before_the_wait race only=optimised block=128 args="float32[512]= float32[512]"
extern "C" __global__ void result_changed_before_the_wait(const float* in, float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  d[2] *= in[threadIdx.x];  //! hazard=read_before_the_wait
  WAIT(0);
  put(out, d);
}

//@ bug no_fence_at_all race only=optimised block=128 args="float32[512]" hazard=no_fence
extern "C" __global__ void no_fence_at_all(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //! says=has_no_wgmma.fence_before_it
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug no_fence_after_a_change race only=optimised block=128 args="float32[512]= float32[512]" hazard=no_fence
extern "C" __global__ void no_fence_after_a_change(const float* in, float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  for (int i = 0; i < 4; ++i) d[i] *= in[threadIdx.x];  //~
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //!
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ good fence_after_a_change block=128 args="float32[512]= float32[512]"
extern "C" __global__ void fence_after_a_change(const float* in, float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  for (int i = 0; i < 4; ++i) d[i] *= in[threadIdx.x];
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug no_fence_after_a_new_matrix race only=optimised block=128 args="int32[512]= float32[512]" hazard=no_fence
extern "C" __global__ void no_fence_after_a_new_matrix(const unsigned* in, float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  unsigned a[4];
  ready(s);
  FENCE;
  for (int i = 0; i < 4; ++i) a[i] = in[threadIdx.x + i];  //~
  MULTIPLY_REGISTERS(d, a, matrix_at(s.b));  //!
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug matrix_changed_before_the_wait race only=optimised block=128 args="int32[512]= float32[512] 4:int32" hazard=change_before_the_wait
extern "C" __global__ void matrix_changed_before_the_wait(const unsigned* in, float* out, int n) {
  __shared__ Tiles s;
  ready(s);
  asm volatile(
      "{ .reg .b32 a<4>; .reg .f32 d<4>; .reg .b64 p; cvta.to.global.u64 p, %1; mov.b32 a0, 0; mov.b32 a1, 0; mov.b32 a2, 0; mov.b32 a3, 0;\n"
      "mov.f32 d0, 0f00000000; mov.f32 d1, d0; mov.f32 d2, d0; mov.f32 d3, d0; wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0, d1, d2, d3}, {a0, a1, a2, a3}, %0, 1, 1, 1, 0;\n"
      "wgmma.commit_group.sync.aligned; ld.global.b32 a2, [p]; wgmma.wait_group.sync.aligned 0;\n"
      "cvta.to.global.u64 p, %2; st.global.f32 [p], d0; }" ::"l"(matrix_at(s.b)), "l"(in + threadIdx.x), "l"(out + threadIdx.x) : "memory");  //!
}

//@ bug tile_changed_before_the_wait race block=128 args="float32[512]" hazard=read_after_write both_orders=True
extern "C" __global__ void tile_changed_before_the_wait(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //!
  COMMIT;
  s.a[threadIdx.x] = 0;  //~
  WAIT(0);
  put(out, d);
}

//@ bug tile_changed_by_another_warp race block=256 args="float32[512]" hazard=write_after_read
extern "C" __global__ void tile_changed_by_another_warp(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  if (threadIdx.x < 128) fill(s);
  PROXY;
  __syncthreads();
  if (threadIdx.x >= 128) {
    FENCE;
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
    COMMIT;
    WAIT(0);
    put(out - 512, d);
  } else if (threadIdx.x < 32) {
    s.b[threadIdx.x] = 0;  //!
  }
}

//@ good tile_changed_after_the_wait block=128 args="float32[512] 3:int32"
extern "C" __global__ void tile_changed_after_the_wait(float* out, int n) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    ready(s);
    FENCE;
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
    COMMIT;
    WAIT(0);
    __syncthreads();
  }
  put(out, d);
}

//@ bug tile_filled_anew_before_the_wait race block=128 args="float32[640]= float32[512]" hazard=write_after_read
extern "C" __global__ void tile_filled_anew_before_the_wait(const float* in, float* out) {
  __shared__ Tiles s;
  __shared__ alignas(8) u64 bar;
  float d[4] = {0, 0, 0, 0};
  if (threadIdx.x == 0) INIT(&bar, 1);
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //~
  COMMIT;
  if (threadIdx.x == 0) {
    EXPECT(&bar, 2048);
    BULK_IN(s.a, in, 2048, &bar);  //!
  }
  WAIT(0);
  wait_for(&bar, 0);
  put(out, d);
}

// Thread 0 has waited for the product of all four warps.
//@ good tiles_in_turn block=128 args="float32[2880]= float32[512] 5:int32"
extern "C" __global__ void tiles_in_turn(const float* in, float* out, int n) {
  __shared__ Tiles s;
  __shared__ alignas(8) u64 bar;
  float d[4] = {0, 0, 0, 0};
  if (threadIdx.x == 0) INIT(&bar, 1);
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) {
      EXPECT(&bar, 2304);
      BULK_IN(&s, in + i * 576, 2304, &bar);
    }
    wait_for(&bar, i & 1);
    FENCE;
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
    COMMIT;
    WAIT(0);
  }
  put(out, d);
}

// A warp brings tiles; one thread of the warpgroup that multiplies gives each back when it has waited for the next but one.
//@ good tiles_by_a_producer block=256 args="float32[4608]= float32[512] 8:int32"
extern "C" __global__ void tiles_by_a_producer(const float* in, float* out, int n) {
  __shared__ Tiles s[3];
  __shared__ alignas(8) u64 full[3], empty[3];
  if (threadIdx.x == 0)
    for (int k = 0; k < 3; ++k) {
      INIT(&full[k], 1);
      INIT(&empty[k], 1);
    }
  __syncthreads();
  if (threadIdx.x >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 128)
      for (int i = 0; i < n; ++i) {
        if (i >= 3) wait_for(&empty[i % 3], (i / 3 - 1) & 1);
        EXPECT(&full[i % 3], 2304);
        BULK_IN(&s[i % 3], in + i * 576, 2304, &full[i % 3]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    wait_for(&full[i % 3], i / 3 & 1);
    FENCE;
    MULTIPLY(d, matrix_at(s[i % 3].a), matrix_at(s[i % 3].b));
    MULTIPLY(d, matrix_at(s[i % 3].a), matrix_at(s[i % 3].b));
    COMMIT;
    WAIT(1);
    if (i > 0 && threadIdx.x == 64) ARRIVE(&empty[(i - 1) % 3]);
  }
  WAIT(0);
  put(out, d);
}

//@ bug tile_given_back_too_early race block=256 args="float32[4608]= float32[512] 8:int32" hazard=write_after_read
extern "C" __global__ void tile_given_back_too_early(const float* in, float* out, int n) {
  __shared__ Tiles s[3];
  __shared__ alignas(8) u64 full[3], empty[3];
  if (threadIdx.x == 0)
    for (int k = 0; k < 3; ++k) {
      INIT(&full[k], 1);
      INIT(&empty[k], 1);
    }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128)
      for (int i = 0; i < n; ++i) {
        if (i >= 3) wait_for(&empty[i % 3], (i / 3 - 1) & 1);
        EXPECT(&full[i % 3], 2304);
        BULK_IN(&s[i % 3], in + i * 576, 2304, &full[i % 3]);  //!
      }
    return;
  }
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    wait_for(&full[i % 3], i / 3 & 1);
    FENCE;
    MULTIPLY(d, matrix_at(s[i % 3].a), matrix_at(s[i % 3].b));  //~
    COMMIT;
    WAIT(1);
    if (threadIdx.x == 64) ARRIVE(&empty[i % 3]);
  }
  WAIT(0);
  put(out, d);
}

//@ bug no_proxy_fence race block=128 args="float32[512]" hazard=read_after_write
extern "C" __global__ void no_proxy_fence(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 512; i += 128) s.a[i] = 0x3c003c00;  //~
  if (threadIdx.x < 64) s.b[threadIdx.x] = 0x3c003c00;  //~
  __syncthreads();
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //! says=no_fence.proxy.async_lies_between ; race says=no_fence.proxy.async_lies_between
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug no_barrier race block=128 args="float32[512]" hazard=write_after_read both_orders=True
extern "C" __global__ void no_barrier(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  unsigned a[4] = {0, 0, 0, 0};
  ready(s);
  if (threadIdx.x < 64) s.b[threadIdx.x] = 0;  //!
  PROXY;
  FENCE;
  MULTIPLY_REGISTERS(d, a, matrix_at(s.b));  //~
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug matrix_never_written uninitialised block=128 args="float32[512]"
extern "C" __global__ void matrix_never_written(float* out) {
  __shared__ Tiles s, t;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(t.b));  //! hazard=matrix_B
  COMMIT;
  WAIT(0);
  put(out, d);
}

// Rows without values leave rows of the result without, which nobody needs.
//@ good last_rows_without_values block=128 args="float32[512]"
extern "C" __global__ void last_rows_without_values(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  if (threadIdx.x < 64) s.b[threadIdx.x] = s.a[threadIdx.x] = 0x3c003c00;
  PROXY;
  __syncthreads();
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  if (threadIdx.x < 32) {
    out[threadIdx.x * 2] = d[0];
    out[threadIdx.x * 2 + 1] = d[1];
  }
}

//@ bug matrix_beyond_shared_memory illegal_address block=128 args="float32[512]"
extern "C" __global__ void matrix_beyond_shared_memory(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.b), matrix_at(s.b));  //!
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug two_of_four_warps sync block=128 args="float32[512]"
extern "C" __global__ void two_of_four_warps(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  if (threadIdx.x < 64) {
    FENCE;  //! says=warps_2,_3_do_not_take_part
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
    COMMIT;
    WAIT(0);
  }
  put(out, d);
}

//@ bug block_of_three_warps sync block=96 args="float32[512]"
extern "C" __global__ void block_of_three_warps(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 576; i += 96) s.a[i] = 0;
  PROXY;
  __syncthreads();
  FENCE;  //! says=warp_3_does_not_take_part
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug warps_at_different_products sync block=128 args="float32[512]"
extern "C" __global__ void warps_at_different_products(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  if (threadIdx.x < 64)
    MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));  //! says=execute_different_instructions
  else
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, -1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(matrix_at(s.a)), "l"(matrix_at(s.b)) : "memory");
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug warps_with_different_matrices sync block=128 args="float32[512]"
extern "C" __global__ void warps_with_different_matrices(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  ready(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.a + threadIdx.x / 32 * 64));  //! says=different_matrix_descriptors
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug some_lanes_of_a_warp sync block=128 args="float32[512]" hazard=Divergent_thread(s)_in_warp
extern "C" __global__ void some_lanes_of_a_warp(float* out) {
  __shared__ Tiles s;
  ready(s);
  if (threadIdx.x % 32 == 31) return;
  FENCE;  //! says=lane_31_does_not_take_part_in_wgmma.aligned
}

//@ bug more_registers_by_dec sync block=128 args=""
extern "C" __global__ void more_registers_by_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 80;");  //! says=setmaxnreg.dec_to_more_registers
}
