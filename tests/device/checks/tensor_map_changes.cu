// Tensor maps that the kernel itself changes, as grouped products do it: with one mistake each, and correct ones.
//@ least 90
//@ specific
#include "hopper.cuh"
#define REPLACE_SHARED(map, address) asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at(map)), "l"(address) : "memory")
#define REPLACE_GLOBAL(map, address) asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(address) : "memory")
#define COPY_MAP(to, from) asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(to), "r"(at(from)) : "memory")
#define ACQUIRE_MAP(map) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory")
#define RELEASE_MAP asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory")
__device__ __forceinline__ void store_from(const Map* map, const float* s) {
  if (threadIdx.x % 32 == 0) {
    BOX_OUT(map, 0, 0, s);
    COMMIT_BULK;
    WAIT_BULK(0);
  }
}
__device__ __forceinline__ void fill(float* s) {
  if (threadIdx.x < 32) s[threadIdx.x] = threadIdx.x;
  PROXY_SHARED;
  __syncthreads();
}
// The map in shared memory, a word by each lane.
__device__ __forceinline__ void copy_words(Map& to, const Map& from) {
  reinterpret_cast<unsigned*>(&to)[threadIdx.x] = reinterpret_cast<const unsigned*>(&from)[threadIdx.x];
  __syncwarp();
}

//@ good map_changed_in_shared_memory block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void map_changed_in_shared_memory(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  copy_words(copy, map);
  if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
  __syncwarp();
  COPY_MAP(place, &copy);
  ACQUIRE_MAP(place);
  store_from(place, s);
}

//@ bug map_changed_and_not_acquired race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=read_after_write
extern "C" __global__ void map_changed_and_not_acquired(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  copy_words(copy, map);
  if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
  __syncwarp();
  COPY_MAP(place, &copy);  //~
  store_from(place, s);  //! says=no_fence.proxy.tensormap::generic.acquire_lies_between
}

//@ good map_changed_where_it_lies block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void map_changed_where_it_lies(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  fill(s);
  copy_words(*place, map);
  if (threadIdx.x == 0) {
    REPLACE_GLOBAL(place, other);
  }
  __syncwarp();
  RELEASE_MAP;
  __syncwarp();
  ACQUIRE_MAP(place);
  store_from(place, s);
}

//@ bug map_changed_where_it_lies_and_not_released race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=read_after_write
extern "C" __global__ void map_changed_where_it_lies_and_not_released(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  fill(s);
  copy_words(*place, map);
  if (threadIdx.x == 0) REPLACE_GLOBAL(place, other);  //~
  __syncwarp();
  ACQUIRE_MAP(place);
  store_from(place, s);  //! says=no_fence.proxy.tensormap::generic.release_follows_the_change
}

//@ bug map_acquired_before_it_is_changed race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=read_after_write
extern "C" __global__ void map_acquired_before_it_is_changed(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  copy_words(copy, map);
  if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
  __syncwarp();
  ACQUIRE_MAP(place);
  COPY_MAP(place, &copy);  //~
  store_from(place, s);  //! says=no_fence.proxy.tensormap::generic.acquire_lies_between
}

//@ bug fence_of_the_other_proxy_for_a_map race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=read_after_write
extern "C" __global__ void fence_of_the_other_proxy_for_a_map(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  copy_words(copy, map);
  if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
  __syncwarp();
  COPY_MAP(place, &copy);  //~
  PROXY;
  store_from(place, s);  //! says=no_fence.proxy.tensormap::generic.acquire_lies_between
}

// One warp changes the map, another uses it.
//@ good map_changed_by_one_warp_and_used_by_another block=64 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void map_changed_by_one_warp_and_used_by_another(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  if (threadIdx.x < 32) {
    copy_words(copy, map);
    if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
    __syncwarp();
    COPY_MAP(place, &copy);
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    ACQUIRE_MAP(place);
    store_from(place, s);
  }
}

//@ bug map_used_before_the_other_warp_has_changed_it invalid_handle block=64 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]"
extern "C" __global__ void map_used_before_the_other_warp_has_changed_it(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  if (threadIdx.x < 32) {
    copy_words(copy, map);
    if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
    __syncwarp();
    COPY_MAP(place, &copy);
  } else {
    ACQUIRE_MAP(place);
    store_from(place, s);  //! says=it_was_not_made_by
  }
}

//@ bug next_map_over_one_that_is_in_use race block=64 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=read_after_write
extern "C" __global__ void next_map_over_one_that_is_in_use(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x < 32) {
      copy_words(copy, map);
      if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
      __syncwarp();
      COPY_MAP(place, &copy);  //~
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
      ACQUIRE_MAP(place);
      store_from(place, s);  //!
    }
  }
}

//@ bug map_changed_beside_the_word_of_another_lane race block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128]" hazard=write_after_write
extern "C" __global__ void map_changed_beside_the_word_of_another_lane(float*, const __grid_constant__ Map map, float* other, Map* place) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  reinterpret_cast<unsigned*>(&copy)[threadIdx.x] = reinterpret_cast<const unsigned*>(&map)[threadIdx.x];  //~
  if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);  //!
  __syncwarp();
  COPY_MAP(place, &copy);
  ACQUIRE_MAP(place);
  store_from(place, s);
}

// The next block finds the map changed: the flag alone does not tell copies of it.

//@ good map_for_another_block grid=2 block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128] uint32[1]=0"
extern "C" __global__ void map_for_another_block(float*, const __grid_constant__ Map map, float* other, Map* place, unsigned* flag) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  if (blockIdx.x == 0) {
    copy_words(copy, map);
    if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
    __syncwarp();
    COPY_MAP(place, &copy);
    __syncwarp();
    if (threadIdx.x == 0) raise(flag);
  } else if (threadIdx.x == 0) {
    await(flag);
    ACQUIRE_MAP(place);
    store_from(place, s);
  }
}

//@ bug map_for_another_block_that_does_not_acquire_it race grid=2 block=32 args="float32[1024] map:32x32:8x4 float32[1024] uint8[128] uint32[1]=0" hazard=read_after_write
extern "C" __global__ void map_for_another_block_that_does_not_acquire_it(float*, const __grid_constant__ Map map, float* other, Map* place, unsigned* flag) {
  __shared__ alignas(128) float s[32];
  __shared__ Map copy;
  fill(s);
  if (blockIdx.x == 0) {
    copy_words(copy, map);
    if (threadIdx.x == 0) REPLACE_SHARED(&copy, other);
    __syncwarp();
    COPY_MAP(place, &copy);  //~
    __syncwarp();
    if (threadIdx.x == 0) raise(flag);
  } else if (threadIdx.x == 0) {
    await(flag);
    store_from(place, s);  //! says=no_fence.proxy.tensormap::generic.acquire_lies_between
  }
}
