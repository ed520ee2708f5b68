// Copies of boxes of tensors, bulk reductions and stores that complete on an mbarrier: with one mistake each, and correct ones.
//@ least 90
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned in_block(const void* p, int rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
  return there;
}
struct alignas(64) Map { unsigned char bytes[128]; };
#define INIT(bar, n) asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.mbarrier_init.release.cluster;" ::"r"(at(bar)), "r"(n) : "memory")
#define EXPECT(bar, n) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(at(bar)), "r"(n) : "memory")
#define BOX_IN(to, map, x, y, bar) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(bar)) : "memory")
#define BOX_OUT(map, x, y, from) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(at(from)) : "memory")
#define BOX_ADD(map, x, y, from) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(at(from)) : "memory")
#define BULK_ADD(to, from, n) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(n) : "memory")
#define SEND(to, value, bar) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(value), "r"(bar) : "memory")
#define COMMIT asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define WAIT_READ asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define FENCE asm volatile("fence.proxy.async;" ::: "memory")
#define CLUSTER asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory")
__device__ void wait_for(const void* bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
  } while (!done);
}

//@ bug box_read_before_the_wait race block=32 args="float32[1024]= map:32x32:8x4 float32[32]" hazard=read_after_write
extern "C" __global__ void box_read_before_the_wait(const float*, const __grid_constant__ Map map, float* b) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) unsigned long long bar;
  s[threadIdx.x] = 0;
  FENCE;
  if (threadIdx.x == 0) INIT(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BOX_IN(s, &map, 8, 4, &bar);  //~
  }
  __syncwarp();
  float v = s[threadIdx.x];  //! thread=0 other_thread=0 count=32
  wait_for(&bar, 0);
  b[threadIdx.x] = v + s[31 - threadIdx.x];
}

//@ bug box_written_over_before_it_is_read race block=32 args="float32[1024]= map:32x32:8x4" hazard=write_after_read
extern "C" __global__ void box_written_over_before_it_is_read(float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    BOX_OUT(&map, 0, 0, s);  //~
    COMMIT;
  }
  __syncwarp();
  s[threadIdx.x] = 1;  //! thread=0 other_thread=0 both_orders=True count=36
  if (threadIdx.x == 0) WAIT;
}

// CUTLASS's epilogues do so: the same bytes go to the same place.
//@ bug box_stored_by_every_lane race block=32 args="float32[1024]= map:32x32:8x4" hazard=write_after_write severity=warning
extern "C" __global__ void box_stored_by_every_lane(float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  BOX_OUT(&map, 0, 0, s);  //!
  COMMIT;
  WAIT;
}

//@ good box_stored_by_an_elected_lane block=32 args="float32[1024]= map:32x32:8x4"
extern "C" __global__ void box_stored_by_an_elected_lane(float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  unsigned elected;
  asm volatile("{.reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p;}" : "=r"(elected));
  if (!elected) return;
  BOX_OUT(&map, 0, 0, s);
  COMMIT;
  WAIT;
}

//@ bug exit_before_the_box_is_stored race block=32 args="float32[1024]= map:32x32:8x4" hazard=exit_after_read
extern "C" __global__ void exit_before_the_box_is_stored(float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    BOX_OUT(&map, 0, 0, s);  //~
    COMMIT;
  }
}  //! count=1

//@ bug box_beyond_shared_memory illegal_address block=1 args="float32[1024]= map:32x32:32x16"
extern "C" __global__ void box_beyond_shared_memory(const float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) unsigned long long bar;
  INIT(&bar, 1);
  EXPECT(&bar, 2048);
  BOX_IN(s, &map, 0, 0, &bar);  //! space=shared access=write
  wait_for(&bar, 0);
}

//@ bug box_at_an_odd_place misaligned_address block=1 args="float32[1024]= map:32x32:4x2"
extern "C" __global__ void box_at_an_odd_place(const float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) unsigned long long bar;
  INIT(&bar, 1);
  EXPECT(&bar, 32);
  BOX_IN(s + 4, &map, 0, 0, &bar);  //! space=shared
  wait_for(&bar, 0);
}

//@ bug tensor_larger_than_its_memory illegal_address block=1 args="float32[1000]= map:32x32:8x4"
extern "C" __global__ void tensor_larger_than_its_memory(const float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) unsigned long long bar;
  INIT(&bar, 1);
  EXPECT(&bar, 128);
  BOX_IN(s, &map, 16, 28, &bar);  //! space=global access=read distance=33
  wait_for(&bar, 0);
}

//@ bug box_of_what_has_no_value uninitialised block=32 args="float32[1024] map:32x32:8x4 float32[32]"
extern "C" __global__ void box_of_what_has_no_value(const float*, const __grid_constant__ Map map, float* b) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
    BOX_IN(s, &map, -4, 0, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  b[threadIdx.x] = s[threadIdx.x];  //! count=16
}

//@ bug box_stored_without_values uninitialised block=32 args="float32[1024] map:32x32:8x4"
extern "C" __global__ void box_stored_without_values(float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  if (threadIdx.x < 30) s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    BOX_OUT(&map, 0, 0, s);  //! count=2
    COMMIT;
    WAIT;
  }
}

//@ bug sum_added_to_what_has_no_value uninitialised block=32 args="float32[32]"
extern "C" __global__ void sum_added_to_what_has_no_value(float* a) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_ADD(a, s, 128);  //! says=atomic count=1
    COMMIT;
    WAIT;
  }
}

//@ bug sum_read_before_the_wait race block=64 args="float32[32]= float32[32]" hazard=read_after_write
extern "C" __global__ void sum_read_before_the_wait(float* a, float* b) {
  __shared__ alignas(128) float s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_ADD(a, s, 128);  //~
    COMMIT;
  }
  __syncthreads();
  if (threadIdx.x >= 32) b[threadIdx.x - 32] = a[threadIdx.x - 32];  //! thread=32 other_thread=0 count=32
  if (threadIdx.x == 0) WAIT;
}

//@ bug stored_value_read_before_the_wait race block=32 args="int32[32]" hazard=read_after_write
extern "C" __global__ void __cluster_dims__(1, 1, 1) stored_value_read_before_the_wait(int* b) {
  __shared__ int s[32];
  __shared__ alignas(8) unsigned long long bar;
  s[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
  }
  __syncthreads();
  SEND(in_block(s + threadIdx.x, 0), threadIdx.x, in_block(&bar, 0));  //~
  int v = s[31 - threadIdx.x];  //! thread=0 other_thread=31 count=32
  wait_for(&bar, 0);
  b[threadIdx.x] = v;
}

//@ bug stored_beyond_the_block_s_memory illegal_address block=1 args="int32[1]"
extern "C" __global__ void __cluster_dims__(1, 1, 1) stored_beyond_the_block_s_memory(int* b) {
  __shared__ alignas(8) unsigned long long bar;
  INIT(&bar, 1);
  EXPECT(&bar, 4);
  SEND(in_block(&bar + 8, 0), 1, in_block(&bar, 0));  //! space=shared
  wait_for(&bar, 0);
  *b = 1;
}

//@ good boxes_in_two_stages block=128 args="float32[4096]= map:64x64:32x4 float32[128]"
extern "C" __global__ void boxes_in_two_stages(const float*, const __grid_constant__ Map map, float* b) {
  __shared__ alignas(128) float s[2][128];
  __shared__ alignas(8) unsigned long long bar[2];
  if (threadIdx.x == 0) {
    INIT(&bar[0], 1);
    INIT(&bar[1], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int k = 0; k < 2; ++k) {
      EXPECT(&bar[k], 512);
      BOX_IN(s[k], &map, 16, 4 * k, &bar[k]);
    }
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    wait_for(&bar[k % 2], k / 2 % 2);
    sum += s[k % 2][127 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0 && k + 2 < 16) {
      FENCE;
      EXPECT(&bar[k % 2], 512);
      BOX_IN(s[k % 2], &map, 16, 4 * (k + 2), &bar[k % 2]);
    }
  }
  b[threadIdx.x] = sum;
}

//@ good box_over_the_edge_is_filled block=32 args="float32[1024]= map:32x32:8x4 float32[32]"
extern "C" __global__ void box_over_the_edge_is_filled(const float*, const __grid_constant__ Map map, float* b) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
    BOX_IN(s, &map, 28, -2, &bar);
  }
  __syncthreads();
  wait_for(&bar, 0);
  b[threadIdx.x] = s[threadIdx.x];
}

//@ good boxes_of_all_blocks_are_stored grid=8 block=32 args="float32[1024] map:32x32:8x4"
extern "C" __global__ void boxes_of_all_blocks_are_stored(float*, const __grid_constant__ Map map) {
  __shared__ alignas(128) float s[32];
  for (int x = 0; x < 32; x += 8) {
    s[threadIdx.x] = x + threadIdx.x;
    FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
      BOX_OUT(&map, x, 4 * blockIdx.x, s);
      COMMIT;
      WAIT_READ;
    }
    __syncthreads();
  }
}

//@ good sums_of_all_blocks grid=8 block=32 args="float32[1024]= map:32x32:8x4 float32[32]="
extern "C" __global__ void sums_of_all_blocks(float*, const __grid_constant__ Map map, float* b) {
  __shared__ alignas(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  FENCE;
  __syncthreads();
  if (threadIdx.x == 0) {
    BOX_ADD(&map, 4, 30, s);
    BULK_ADD(b, s, 128);
    COMMIT;
    WAIT;
    atomicAdd(b + 3, 1.0f);
  }
}

//@ good values_sent_round grid=4 block=32 args="int32[128]"
extern "C" __global__ void __cluster_dims__(4, 1, 1) values_sent_round(int* b) {
  __shared__ int s[32];
  __shared__ alignas(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
  }
  CLUSTER;
  int next = (blockIdx.x + 1) % 4;
  SEND(in_block(s + threadIdx.x, next), threadIdx.x + 100 * blockIdx.x, in_block(&bar, next));
  wait_for(&bar, 0);
  b[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
  CLUSTER;
}
