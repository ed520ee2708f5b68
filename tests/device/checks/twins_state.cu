// Registers of warpgroups, tensor maps that a kernel changes, memory of several devices at one address, sparse matrices. Each kernel
// with a mistake has a twin, its `_right`, that differs by the one line that is wrong.
//@ least 90
//@ specific
#include "hopper.cuh"

// --- setmaxnreg

//@ bug producer_keeps_its_registers sync block=384 args=""
template <bool right>
__device__ __forceinline__ void keeps() {
  if (threadIdx.x >= 256) {
    if (right) REGISTERS_DEC(40);
  } else {
    REGISTERS_INC(232);  //! says=more_registers_than_the_block_can_have
  }
}
extern "C" __global__ void __launch_bounds__(384, 1) producer_keeps_its_registers() { keeps<false>(); }
//@ good producer_keeps_its_registers_right block=384 args=""
extern "C" __global__ void __launch_bounds__(384, 1) producer_keeps_its_registers_right() { keeps<true>(); }

//@ bug one_warp_of_the_producers sync block=256 args=""
template <bool right>
__device__ __forceinline__ void one_warp() {
  if (right ? threadIdx.x < 128 : threadIdx.x < 32) REGISTERS_DEC(24);  //! says=warps_1,_2,_3_do_not_take_part
}
extern "C" __global__ void __launch_bounds__(256, 1) one_warp_of_the_producers() { one_warp<false>(); }
//@ good one_warp_of_the_producers_right block=256 args=""
extern "C" __global__ void __launch_bounds__(256, 1) one_warp_of_the_producers_right() { one_warp<true>(); }

//@ bug epilogue_takes_by_dec sync block=128 args=""
template <bool right>
__device__ __forceinline__ void takes_by_dec() {
  REGISTERS_DEC(56);
  __syncthreads();
  if (right) REGISTERS_INC(152);
  else REGISTERS_DEC(152);  //! says=setmaxnreg.dec_to_more_registers
}
extern "C" __global__ void __launch_bounds__(128, 1) epilogue_takes_by_dec() { takes_by_dec<false>(); }
//@ good epilogue_takes_by_dec_right block=128 args=""
extern "C" __global__ void __launch_bounds__(128, 1) epilogue_takes_by_dec_right() { takes_by_dec<true>(); }

// Four warpgroups: what three take is more than one gives.
//@ bug three_take_more_than_one_gives sync block=512 args=""
template <bool right>
__device__ __forceinline__ void three_take() {
  if (threadIdx.x < 128)
    REGISTERS_DEC(32);
  else if (right)
    REGISTERS_INC(160);
  else
    REGISTERS_INC(168);  //! says=more_registers_than_the_block_can_have
}
extern "C" __global__ void __launch_bounds__(512, 1) three_take_more_than_one_gives() { three_take<false>(); }
//@ good three_take_more_than_one_gives_right block=512 args=""
extern "C" __global__ void __launch_bounds__(512, 1) three_take_more_than_one_gives_right() { three_take<true>(); }

// --- tensormap.replace

#define REPLACE_SHARED(map, address) asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at(map)), "l"(address) : "memory")
#define REPLACE_ROWS(map, rows) asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at(map)), "r"(rows) : "memory")
#define COPY_MAP(to, from) asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(to), "r"(at(from)) : "memory")
#define ACQUIRE_MAP(map) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory")
struct alignas(128) Working {
  float s[32];
  Map map;
  u64 full;
};
// The map in shared memory, a word by each lane.
__device__ __forceinline__ void begin(Working& m, const Map& map) {
  m.s[threadIdx.x] = threadIdx.x;
  reinterpret_cast<unsigned*>(&m.map)[threadIdx.x] = reinterpret_cast<const unsigned*>(&map)[threadIdx.x];
  if (threadIdx.x == 0) {
    INIT(&m.full, 1);
    INIT_FENCE;
  }
  PROXY_SHARED;
  __syncwarp();
}
__device__ __forceinline__ void store_box(const Map* map, const float* s) {
  if (threadIdx.x == 0) {
    BOX_OUT(map, 0, 0, s);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}

//@ bug box_brought_by_a_map_not_acquired race block=32 args="float32[1024]= map:32x32:8x4 float32[1024]= uint8[128] float32[32]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void brought(const Map& map, float* other, Map* place, float* out) {
  __shared__ Working m;
  begin(m, map);
  if (threadIdx.x == 0) REPLACE_SHARED(&m.map, other);
  __syncwarp();
  COPY_MAP(place, &m.map);  //~
  if (right) ACQUIRE_MAP(place);
  if (threadIdx.x == 0) {
    EXPECT(&m.full, 128);
    BOX_IN(m.s, place, 0, 0, &m.full);  //! says=no_fence.proxy.tensormap::generic.acquire_lies_between
  }
  wait_for(&m.full, 0);
  out[threadIdx.x] = m.s[threadIdx.x];
}
extern "C" __global__ void box_brought_by_a_map_not_acquired(float*, const __grid_constant__ Map map, float* other, Map* place, float* out) { brought<false>(map, other, place, out); }
//@ good box_brought_by_a_map_not_acquired_right block=32 args="float32[1024]= map:32x32:8x4 float32[1024]= uint8[128] float32[32]"
extern "C" __global__ void box_brought_by_a_map_not_acquired_right(float*, const __grid_constant__ Map map, float* other, Map* place, float* out) { brought<true>(map, other, place, out); }

// A lane changes fields of the map, and the others copy it before they have met.
//@ bug map_copied_before_its_fields_are_changed race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
template <bool right>
__device__ __forceinline__ void fields(const Map& map, float* other, Map* place) {
  __shared__ Working m;
  begin(m, map);
  if (threadIdx.x == 7) REPLACE_SHARED(&m.map, other);  //~
  if (threadIdx.x == 7) REPLACE_ROWS(&m.map, 16);  //~
  if (right) __syncwarp();
  COPY_MAP(place, &m.map);  //! hazard=read_after_write
  ACQUIRE_MAP(place);
  store_box(place, m.s);
}
extern "C" __global__ void map_copied_before_its_fields_are_changed(float*, const __grid_constant__ Map map, float* other, Map* place) { fields<false>(map, other, place); }
//@ good map_copied_before_its_fields_are_changed_right block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void map_copied_before_its_fields_are_changed_right(float*, const __grid_constant__ Map map, float* other, Map* place) { fields<true>(map, other, place); }

// Groups of a grouped product: the second group's map is put over the first one's, and not acquired again.
//@ bug second_map_at_one_place_not_acquired race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=read_after_write
template <bool right>
__device__ __forceinline__ void second_map(const Map& map, float* own, float* other, Map* place) {
  __shared__ Working m;
  begin(m, map);
  for (int group = 0; group < 2; ++group) {
    if (threadIdx.x == 0) REPLACE_SHARED(&m.map, group == 0 ? own : other);
    __syncwarp();
    COPY_MAP(place, &m.map);  //~
    if (right || group == 0) ACQUIRE_MAP(place);
    store_box(place, m.s);  //!
    __syncwarp();
  }
}
extern "C" __global__ void second_map_at_one_place_not_acquired(float* own, const __grid_constant__ Map map, float* other, Map* place) { second_map<false>(map, own, other, place); }
//@ good second_map_at_one_place_not_acquired_right block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void second_map_at_one_place_not_acquired_right(float* own, const __grid_constant__ Map map, float* other, Map* place) { second_map<true>(map, own, other, place); }

// The map has an address in it that belongs to no memory.
//@ bug address_of_shared_memory_in_a_map illegal_address block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
template <bool right>
__device__ __forceinline__ void address_in_map(const Map& map, float* other, Map* place) {
  __shared__ Working m;
  begin(m, map);
  if (threadIdx.x == 0) REPLACE_SHARED(&m.map, right ? reinterpret_cast<u64>(other) : (u64)at(m.s));
  __syncwarp();
  COPY_MAP(place, &m.map);
  ACQUIRE_MAP(place);
  store_box(place, m.s);  //!
}
extern "C" __global__ void address_of_shared_memory_in_a_map(float*, const __grid_constant__ Map map, float* other, Map* place) { address_in_map<false>(map, other, place); }
//@ good address_of_shared_memory_in_a_map_right block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void address_of_shared_memory_in_a_map_right(float*, const __grid_constant__ Map map, float* other, Map* place) { address_in_map<true>(map, other, place); }

// --- multimem

#define ADD_ALL(p, v) asm volatile("multimem.red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory")
#define STORE_ALL(p, v) asm volatile("multimem.st.weak.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory")
#define SUM_OF_ALL(v, p) asm volatile("multimem.ld_reduce.weak.global.add.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory")

// Partial sums are added for all, and one warp reads before the other has added.
//@ bug sums_of_all_read_before_all_have_added race block=64 args="multicast float32[64]"
template <bool right>
__device__ __forceinline__ void all_added(float* all, float* out) {
  float v;
  if (threadIdx.x < 32) STORE_ALL(all + threadIdx.x, 0.0f);
  __syncthreads();
  ADD_ALL(all + threadIdx.x % 32, 1.0f);  //! hazard=write_after_read
  if (right) __syncthreads();
  SUM_OF_ALL(v, all + threadIdx.x % 32);  //~
  out[threadIdx.x] = v;
}
extern "C" __global__ void sums_of_all_read_before_all_have_added(float* all, float*, float* out) { all_added<false>(all, out); }
//@ good sums_of_all_read_before_all_have_added_right block=64 args="multicast float32[64]"
extern "C" __global__ void sums_of_all_read_before_all_have_added_right(float* all, float*, float* out) { all_added<true>(all, out); }

//@ bug sums_of_all_cleared_by_the_other_warp race block=64 args="multicast"
template <bool right>
__device__ __forceinline__ void cleared(float* all) {
  if (threadIdx.x >= 32) STORE_ALL(all + threadIdx.x - 32, 0.0f);  //!
  if (right) __syncthreads();
  if (threadIdx.x < 32) ADD_ALL(all + threadIdx.x, 1.0f);  //~
}
extern "C" __global__ void sums_of_all_cleared_by_the_other_warp(float* all, float*) { cleared<false>(all); }
//@ good sums_of_all_cleared_by_the_other_warp_right block=64 args="multicast"
extern "C" __global__ void sums_of_all_cleared_by_the_other_warp_right(float* all, float*) { cleared<true>(all); }

//@ bug stored_for_all_at_the_own_address illegal_address block=32 args="multicast"
template <bool right>
__device__ __forceinline__ void own_address(float* all, float* own) {
  STORE_ALL((right ? all : own) + threadIdx.x, 1.0f);  //! says=no_multicast_object_is_mapped
}
extern "C" __global__ void stored_for_all_at_the_own_address(float* all, float* own) { own_address<false>(all, own); }
//@ good stored_for_all_at_the_own_address_right block=32 args="multicast"
extern "C" __global__ void stored_for_all_at_the_own_address_right(float* all, float* own) { own_address<true>(all, own); }

// --- mma.sp

__device__ __forceinline__ void sparse_product(float* d, const unsigned* a, const unsigned* b, unsigned which) {
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(which));
}

// Both numbers of a group of four are said to lie at one place.
//@ bug two_numbers_at_one_place invalid_handle block=32 args="float32[128]"
template <bool right>
__device__ __forceinline__ void one_place(float* out) {
  float d[4] = {0, 0, 0, 0};
  const unsigned a[2] = {0x3c003c00, 0x3c003c00}, b[2] = {threadIdx.x, 0};
  sparse_product(d, a, b, right ? 0xeeeeeeee : 0xffffffff);  //! says=names_one_place_twice
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];
}
extern "C" __global__ void two_numbers_at_one_place(float* out) { one_place<false>(out); }
//@ good two_numbers_at_one_place_right block=32 args="float32[128]"
extern "C" __global__ void two_numbers_at_one_place_right(float* out) { one_place<true>(out); }

//@ bug places_in_the_wrong_order invalid_handle block=32 args="float32[128]"
template <bool right>
__device__ __forceinline__ void wrong_order(float* out) {
  float d[4] = {0, 0, 0, 0};
  const unsigned a[2] = {0x3c003c00, 0x3c003c00}, b[2] = {threadIdx.x, 0};
  sparse_product(d, a, b, right ? 0x99999999 : 0x66666666);  //! says=not_in_increasing_order
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];
}
extern "C" __global__ void places_in_the_wrong_order(float* out) { wrong_order<false>(out); }
//@ good places_in_the_wrong_order_right block=32 args="float32[128]"
extern "C" __global__ void places_in_the_wrong_order_right(float* out) { wrong_order<true>(out); }

// The places are read from memory that was never written.
//@ bug places_without_values uninitialised block=32 args="uint32[32] float32[128]"
template <bool right>
__device__ __forceinline__ void no_places(const unsigned* in, float* out) {
  float d[4] = {0, 0, 0, 0};
  const unsigned a[2] = {0x3c003c00, 0x3c003c00}, b[2] = {threadIdx.x, 0};
  sparse_product(d, a, b, (in[threadIdx.x] & 0x11111111) | 0x88888888);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];  //!
}
extern "C" __global__ void places_without_values(const unsigned* in, float* out) { no_places<false>(in, out); }
//@ good places_without_values_right block=32 args="uint32[32]= float32[128]"
extern "C" __global__ void places_without_values_right(const unsigned* in, float* out) { no_places<true>(in, out); }

// A part of the warp multiplies.
//@ bug half_of_the_warp_multiplies sync block=32 args="float32[128]"
template <bool right>
__device__ __forceinline__ void half_warp(float* out) {
  float d[4] = {0, 0, 0, 0};
  const unsigned a[2] = {0x3c003c00, 0x3c003c00}, b[2] = {threadIdx.x, 0};
  if (right || threadIdx.x < 16) sparse_product(d, a, b, 0x44444444);  //! ; invalid_handle
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = d[k];
}
extern "C" __global__ void half_of_the_warp_multiplies(float* out) { half_warp<false>(out); }
//@ good half_of_the_warp_multiplies_right block=32 args="float32[128]"
extern "C" __global__ void half_of_the_warp_multiplies_right(float* out) { half_warp<true>(out); }
