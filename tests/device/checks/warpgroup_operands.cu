// Matrix descriptors, and the registers of a block's warpgroups: with one mistake each, and correct ones.
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

//@ bug descriptor_of_a_stage_that_was_never_filled uninitialised block=128 args="float32[512]"
extern "C" __global__ void descriptor_of_a_stage_that_was_never_filled(float* out) {
  __shared__ Tiles s[2];
  float d[4] = {0, 0, 0, 0};
  fill(s[0]);
  FENCE;
  MULTIPLY(d, matrix_at(s[1].a), matrix_at(s[0].b));  //! says=matrix_A
  COMMIT;
  WAIT(0);
  put(out, d);
}

// The address has bytes, and the descriptor units of 16.
//@ bug descriptor_in_bytes illegal_address block=128 args="float32[512]"
extern "C" __global__ void descriptor_in_bytes(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, (matrix_at(s.a) & ~(u64)0x3fff) | ((at(s.a) + 2048) & 0x3fff), matrix_at(s.b));  //! space=shared
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug step_along_k_beyond_the_tile uninitialised block=128 args="float32[512]"
extern "C" __global__ void step_along_k_beyond_the_tile(float* out) {
  __shared__ Tiles s[3];
  float d[4] = {0, 0, 0, 0};
  fill(s[0]);
  FENCE;
  for (int k = 0; k < 2; ++k) MULTIPLY(d, matrix_at(s[0].a) + k * (sizeof(Tiles) >> 4), matrix_at(s[0].b));  //! says=matrix_A
  COMMIT;
  WAIT(0);
  put(out, d);
}

// Rows of 128 bytes, swizzled by the tensor map as the descriptor says: four products along them.
//@ good swizzled_box_multiplied block=128 args="float16[8192]= map16:64x128:64x64:3 float32[512]"
extern "C" __global__ void swizzled_box_multiplied(const void*, const __grid_constant__ Map map, float* out) {
  __shared__ alignas(1024) unsigned char a[8192], b[8192];
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    INIT_FENCE;
    EXPECT(&full, 16384);
    BOX_IN(a, &map, 0, 0, &full);
    BOX_IN(b, &map, 0, 64, &full);
  }
  __syncthreads();
  float d[4] = {0, 0, 0, 0};
  wait_for(&full, 0);
  FENCE;
  for (int k = 0; k < 4; ++k) MULTIPLY(d, swizzled_at(a) + 2 * k, swizzled_at(b) + 2 * k);
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ bug box_smaller_than_what_is_multiplied uninitialised block=128 args="float16[8192]= map16:64x128:64x32:3 float32[512]"
extern "C" __global__ void box_smaller_than_what_is_multiplied(const void*, const __grid_constant__ Map map, float* out) {
  __shared__ alignas(1024) unsigned char a[8192], b[8192];
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    INIT_FENCE;
    EXPECT(&full, 8192);
    BOX_IN(a, &map, 0, 0, &full);
    BOX_IN(b, &map, 0, 64, &full);
  }
  __syncthreads();
  float d[4] = {0, 0, 0, 0};
  wait_for(&full, 0);
  FENCE;
  for (int k = 0; k < 4; ++k) MULTIPLY(d, swizzled_at(a) + 2 * k, swizzled_at(b) + 2 * k);
  COMMIT;
  WAIT(0);
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];  //! count=256
}

// --- registers of a block's warpgroups

//@ bug more_registers_than_the_block_has sync block=384 args=""
extern "C" __global__ void __launch_bounds__(384) more_registers_than_the_block_has() {
  if (threadIdx.x < 128)
    REGISTERS_DEC(56);
  else
    REGISTERS_INC(240);  //! says=more_registers_than_the_block_can_have
}

//@ bug nobody_gives_registers sync block=384 args=""
extern "C" __global__ void __launch_bounds__(384) nobody_gives_registers() {
  if (threadIdx.x >= 128) REGISTERS_INC(232);  //! says=more_registers_than_the_block_can_have
}

//@ good registers_that_just_suffice block=384 args=""
extern "C" __global__ void __launch_bounds__(384) registers_that_just_suffice() {
  if (threadIdx.x < 128)
    REGISTERS_DEC(24);
  else
    REGISTERS_INC(240);
}

//@ good registers_of_four_warpgroups block=512 args=""
extern "C" __global__ void __launch_bounds__(512) registers_of_four_warpgroups() {
  if (threadIdx.x < 128)
    REGISTERS_DEC(32);
  else
    REGISTERS_INC(160);
}

//@ bug registers_of_three_warps sync block=128 args=""
extern "C" __global__ void registers_of_three_warps() {
  if (threadIdx.x < 96) REGISTERS_DEC(40);  //! says=warp_3_does_not_take_part
}

//@ bug fewer_registers_by_inc sync block=128 args=""
extern "C" __global__ void fewer_registers_by_inc() {
  REGISTERS_INC(160);
  REGISTERS_INC(80);  //! says=setmaxnreg.inc_to_fewer_registers
}

//@ bug registers_of_one_half_and_the_other sync block=128 args=""
extern "C" __global__ void registers_of_one_half_and_the_other() {
  if (threadIdx.x < 64)
    REGISTERS_DEC(40);
  else
    REGISTERS_DEC(48);  //! says=execute_different_instructions
}

//@ bug waited_for_by_two_warps_alone sync block=128 args="float32[512]"
extern "C" __global__ void waited_for_by_two_warps_alone(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  fill(s);
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  if (threadIdx.x < 64) WAIT(0);  //!
}

// Each warpgroup has a half of the rows of a, and both have all of b.
//@ good halves_of_one_tile block=256 args="float32[1024]"
extern "C" __global__ void halves_of_one_tile(float* out) {
  __shared__ Tiles s[2];
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 1152; i += 256) s[0].a[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
  FENCE;
  MULTIPLY(d, matrix_at(s[threadIdx.x / 128].a), matrix_at(s[0].b));
  COMMIT;
  WAIT(0);
  put(out, d);
}

//@ good steps_along_k_within_the_tiles block=128 args="float32[512]"
extern "C" __global__ void steps_along_k_within_the_tiles(float* out) {
  __shared__ Tiles s[2];
  float d[4] = {0, 0, 0, 0};
  fill(s[0]);
  fill(s[1]);
  FENCE;
  for (int k = 0; k < 2; ++k) MULTIPLY(d, matrix_at(s[0].a) + k * (sizeof(Tiles) >> 4), matrix_at(s[0].b) + k * (sizeof(Tiles) >> 4));
  COMMIT;
  WAIT(0);
  put(out, d);
}

// Registers go to the epilogue, and come back.
//@ good registers_down_and_up_again block=128 args=""
extern "C" __global__ void registers_down_and_up_again() {
  REGISTERS_DEC(40);
  __syncthreads();
  REGISTERS_INC(160);
}

//@ good one_warpgroup_multiplies_and_the_other_does_not block=256 args="float32[512]"
extern "C" __global__ void one_warpgroup_multiplies_and_the_other_does_not(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 576; i += 256) s.a[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
  if (threadIdx.x < 128) return;
  FENCE;
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  WAIT(0);
  put(out - 512, d);
}

//@ bug one_warp_of_the_other_warpgroup_multiplies_too sync block=256 args="float32[1024]"
extern "C" __global__ void one_warp_of_the_other_warpgroup_multiplies_too(float* out) {
  __shared__ Tiles s;
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 576; i += 256) s.a[i] = 0x3c003c00;
  PROXY;
  __syncthreads();
  if (threadIdx.x >= 160) return;
  FENCE;  //! says=warps_5,_6,_7_do_not_take_part
  MULTIPLY(d, matrix_at(s.a), matrix_at(s.b));
  COMMIT;
  put(out, d);  //! race only=optimised hazard=read_before_the_wait
}
