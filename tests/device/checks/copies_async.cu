// Asynchronous copies that nobody waits for in time, and correct ones.
//@ least 90
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned in_block(const void* p, int rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
  return there;
}
#define INIT(bar, n) asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.mbarrier_init.release.cluster;" ::"r"(at(bar)), "r"(n) : "memory")
#define EXPECT(bar, n) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(at(bar)), "r"(n) : "memory")
#define ARRIVE(bar) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(bar)) : "memory")
#define BULK_IN(to, from, n, bar) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(n), "r"(bar) : "memory")
#define BULK_OUT(to, from, n) asm volatile("fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(n) : "memory")
#define FENCE asm volatile("fence.proxy.async;" ::: "memory")
#define COMMIT_BULK asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_BULK asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define WAIT_READ asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define COPY4(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory")
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
__device__ void wait_for(unsigned bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}

//@ bug own_copy_read_before_the_wait race block=32 args="int32[32]= int32[32]" hazard=read_after_write
extern "C" __global__ void own_copy_read_before_the_wait(const int* a, int* b) {
  __shared__ int s[32];
  s[threadIdx.x] = 0;
  COPY4(s + threadIdx.x, a + threadIdx.x);  //~
  COMMIT;
  int v = s[threadIdx.x];  //! thread=0 other_thread=0 count=32
  WAIT(0);
  b[threadIdx.x] = v;
}

//@ bug barrier_in_place_of_the_wait race block=64 args="int32[64]= int32[64]" hazard=read_after_write
extern "C" __global__ void barrier_in_place_of_the_wait(const int* a, int* b) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  COPY4(s + threadIdx.x, a + threadIdx.x);  //~
  COMMIT;
  __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];  //! thread=0 other_thread=63 count=64
  WAIT(0);
}

//@ bug the_last_group_is_still_on_its_way race block=32 args="int32[64]= int32[32]" hazard=read_after_write
extern "C" __global__ void the_last_group_is_still_on_its_way(const int* a, int* b) {
  __shared__ int s[2][32];
  s[0][threadIdx.x] = s[1][threadIdx.x] = 0;
  COPY4(&s[0][threadIdx.x], a + threadIdx.x);
  COMMIT;
  COPY4(&s[1][threadIdx.x], a + 32 + threadIdx.x);  //~
  COMMIT;
  WAIT(1);
  int v = s[0][threadIdx.x];
  if (threadIdx.x == 31) v += s[1][31];  //! thread=0 other_thread=31 says=offset_252 count=32 debug_thread=31 debug_count=1
  WAIT(0);
  b[threadIdx.x] = v;
}

//@ bug waited_for_by_one_and_read_by_all race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void waited_for_by_one_and_read_by_all(const int* a, int* b) {
  __shared__ int s[64];
  COPY4(s + threadIdx.x, a + threadIdx.x);  //! hazard=write_after_read thread=32 other_thread=0 other_line=3 count=64 both_orders=True
  COMMIT;
  WAIT(0);
  b[threadIdx.x] = s[threadIdx.x ^ 32];  //! uninitialised thread=0 count=32
}

//@ bug stored_over_a_copy_on_its_way race block=32 args="int32[32]= int32[32]" hazard=write_after_write
extern "C" __global__ void stored_over_a_copy_on_its_way(const int* a, int* b) {
  __shared__ int s[32];
  COPY4(s + threadIdx.x, a + threadIdx.x);  //~
  COMMIT;
  if (threadIdx.x == 0) s[0] = 5;  //! thread=0 other_thread=0 count=1
  WAIT(0);
  b[threadIdx.x] = s[threadIdx.x];
}

//@ bug bulk_copy_that_only_one_warp_waits_for race block=64 args="float32[64]= float32[64]" hazard=read_after_write
extern "C" __global__ void bulk_copy_that_only_one_warp_waits_for(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar, begun;
  s[threadIdx.x] = 0;
  FENCE;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT(&begun, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 256);
    BULK_IN(at(s), a, 256, at(&bar));  //~
    ARRIVE(&begun);
  }
  wait_for(threadIdx.x < 32 ? at(&bar) : at(&begun), 0);
  b[threadIdx.x] = s[threadIdx.x];  //! thread=32 other_thread=0 count=32
}

//@ bug bulk_copy_that_has_come_before_it_is_waited_for race block=64 args="float32[64]= float32[64]" hazard=read_after_write
extern "C" __global__ void bulk_copy_that_has_come_before_it_is_waited_for(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar, other;
  __shared__ volatile int late;
  s[threadIdx.x] = 0;
  FENCE;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    INIT(&other, 32);
    late = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 256);
    BULK_IN(at(s), a, 256, at(&bar));  //~
  }
  if (threadIdx.x >= 32) {
    wait_for(at(&bar), 0);
    late = 1;
  } else {
    while (late == 0) {}
  }
  b[threadIdx.x] = s[threadIdx.x];  //! thread=0 other_thread=0 count=32
}

//@ bug bulk_copy_read_by_its_own_thread race block=32 args="float32[32]= float32[1]" hazard=read_after_write
extern "C" __global__ void bulk_copy_read_by_its_own_thread(const float* a, float* b) {
  __shared__ __align__(128) float s[32];
  __shared__ __align__(8) unsigned long long bar;
  s[threadIdx.x] = 0;
  FENCE;
  if (threadIdx.x == 0) INIT(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 128);
    BULK_IN(at(s), a, 128, at(&bar));  //~
    b[0] = s[31];  //! thread=0 other_thread=0 says=offset_124 count=1
  }
  wait_for(at(&bar), 0);
}

//@ bug bulk_copy_of_an_earlier_phase race block=32 args="float32[64]= float32[32]" hazard=read_after_write
extern "C" __global__ void bulk_copy_of_an_earlier_phase(const float* a, float* b) {
  __shared__ __align__(128) float s[2][32];
  __shared__ __align__(8) unsigned long long bar[2];
  if (threadIdx.x < 2) INIT(bar + threadIdx.x, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      EXPECT(bar + k, 128);
      BULK_IN(at(s[k]), a + k * 32, 128, at(bar + k));  //~
    }
  }
  wait_for(at(bar), 0);
  float v = s[0][threadIdx.x];
  v += s[1][threadIdx.x];  //! thread=0 other_thread=0 count=32
  wait_for(at(bar + 1), 0);
  b[threadIdx.x] = v;  //! uninitialised thread=0
}

//@ bug source_changed_while_it_is_stored race block=64 args="float32[64]" hazard=write_after_read
extern "C" __global__ void source_changed_while_it_is_stored(float* b) {
  __shared__ __align__(128) float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 256);  //~
    COMMIT_BULK;
  }
  __syncthreads();
  if (threadIdx.x == 63) s[63] = -1;  //! thread=63 other_thread=0 count=1 says=offset_252
  if (threadIdx.x == 0) WAIT_BULK;
}

//@ bug stored_and_read_back_when_only_read race block=32 args="float32[32] float32[32]" hazard=read_after_write
extern "C" __global__ void stored_and_read_back_when_only_read(float* b, float* c) {
  __shared__ __align__(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 128);  //~
    COMMIT_BULK;
    WAIT_READ;
    c[0] = b[31];  //! thread=0 other_thread=0 index=31 ; uninitialised thread=0 origin=global
    WAIT_BULK;
  }
  __syncwarp();
  s[threadIdx.x] = 0;
}

//@ bug left_before_the_store_has_read race block=32 args="float32[32]" hazard=exit_after_read
extern "C" __global__ void left_before_the_store_has_read(float* b) {
  __shared__ __align__(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 128);  //~
    COMMIT_BULK;
  }
}  //! thread=0 other_thread=0

// The exit stands in the kernel, not in the function that started the copy.
//@ bug left_before_a_functions_store_has_read race block=32 args="float32[32]" hazard=exit_after_read
__device__ __noinline__ void start_storing(float* to, const float* from) {
  BULK_OUT(to, from, 128);  //~
  COMMIT_BULK;
}
extern "C" __global__ void left_before_a_functions_store_has_read(float* b) {
  __shared__ __align__(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) start_storing(b, s);
}  //! thread=0 other_thread=0 inlined_at=None

//@ bug left_before_the_copy_came race block=32 args="float32[32]= float32[32]" hazard=exit_after_write
extern "C" __global__ void left_before_the_copy_came(const float* a, float* b) {
  __shared__ __align__(128) float s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
    BULK_IN(at(s), a, 128, at(&bar));  //~
  }
  b[threadIdx.x] = 1;
}  //! other_thread=0

//@ bug bulk_copy_of_what_was_never_written uninitialised block=32 args="float32[32]=first31 float32[32]" origin=shared
extern "C" __global__ void bulk_copy_of_what_was_never_written(float* a, float* b) {
  __shared__ __align__(128) float s[32];
  if (threadIdx.x < 31) s[threadIdx.x] = a[threadIdx.x];
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 128);  //! thread=0 index=31 count=1
    COMMIT_BULK;
    WAIT_BULK;
  }
}

//@ bug bulk_copy_brings_what_has_no_value uninitialised block=64 args="float32[64]=first63 float32[64]" origin=global
extern "C" __global__ void bulk_copy_brings_what_has_no_value(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) INIT(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&bar, 256);
    BULK_IN(at(s), a, 256, at(&bar));
  }
  wait_for(at(&bar), 0);
  b[threadIdx.x] = s[threadIdx.x] + 1;  //! thread=63 count=1 index=63
}

//@ bug bulk_store_one_piece_too_long illegal_address block=32 args="float32[28]"
extern "C" __global__ void bulk_store_one_piece_too_long(float* b) {
  __shared__ __align__(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 128);  //! thread=0 distance=1 side=after index=28
    COMMIT_BULK;
    WAIT_BULK;
  }
}

//@ bug multiple_of_eight_bytes misaligned_address block=32 args="float32[32]"
extern "C" __global__ void multiple_of_eight_bytes(float* b) {
  __shared__ __align__(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 120);  //! thread=0
    COMMIT_BULK;
    WAIT_BULK;
  }
}

//@ bug written_while_the_neighbour_copies_into_it race grid=2 block=32 args="float32[32]= float32[64]" hazard=write_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) written_while_the_neighbour_copies_into_it(const float* a, float* b) {
  __shared__ __align__(128) float s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
  }
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
  if (blockIdx.x == 0 && threadIdx.x == 0) BULK_IN(in_block(s, 1), a, 128, in_block(&bar, 1));  //~
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
  if (blockIdx.x == 1) {
    if (threadIdx.x == 7) s[7] = 1;  //! thread=7 in_block=1 other_block=0 other_thread=0 count=1
    wait_for(at(&bar), 0);
    b[threadIdx.x] = s[threadIdx.x];
  }
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

//@ good stores_from_two_buffers grid=2 block=64 args="float32[512]= float32[512]"
extern "C" __global__ void stores_from_two_buffers(const float* a, float* b) {
  __shared__ __align__(128) float s[2][64];
  int first = blockIdx.x * 256;
  for (int k = 0; k < 4; ++k) {
    if (k >= 2 && threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    __syncthreads();
    s[k % 2][threadIdx.x] = a[first + k * 64 + threadIdx.x] * 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_OUT(b + first + k * 64, s[k % 2], 256);
      COMMIT_BULK;
    }
  }
  if (threadIdx.x == 0) WAIT_READ;
}

//@ good one_tile_stored_to_two_places block=32 args="float32[32] float32[32]"
extern "C" __global__ void one_tile_stored_to_two_places(float* b, float* c) {
  __shared__ __align__(128) float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) {
    BULK_OUT(b, s, 128);
    BULK_OUT(c, s, 128);
    COMMIT_BULK;
    WAIT_BULK;
    b[0] += c[31];
  }
  __syncwarp();
  s[31 - threadIdx.x] = b[threadIdx.x];
}

//@ good pipeline_of_bulk_copies block=96 args="float32[512]= float32[64]"
extern "C" __global__ void pipeline_of_bulk_copies(const float* a, float* b) {
  __shared__ __align__(128) float s[2][64];
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  if (threadIdx.x < 2) {
    INIT(full + threadIdx.x, 1);
    INIT(empty + threadIdx.x, 64);
  }
  __syncthreads();
  if (threadIdx.x == 64) {
    for (int k = 0; k < 8; ++k) {
      if (k >= 2) wait_for(at(empty + k % 2), (k / 2 - 1) % 2);
      EXPECT(full + k % 2, 256);
      BULK_IN(at(s[k % 2]), a + k * 64, 256, at(full + k % 2));
    }
  } else if (threadIdx.x < 64) {
    float sum = 0;
    for (int k = 0; k < 8; ++k) {
      wait_for(at(full + k % 2), k / 2 % 2);
      sum += s[k % 2][63 - threadIdx.x];
      ARRIVE(empty + k % 2);
    }
    b[threadIdx.x] = sum;
  }
}

//@ good waited_for_by_one_and_handed_on block=64 args="float32[64]= float32[64]"
extern "C" __global__ void waited_for_by_one_and_handed_on(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 256);
    BULK_IN(at(s), a, 256, at(&bar));
    wait_for(at(&bar), 0);
  }
  __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = 0;
}

//@ good plain_copies_told_to_an_mbarrier block=64 args="float32[64]= float32[64]"
extern "C" __global__ void plain_copies_told_to_an_mbarrier(const float* a, float* b) {
  __shared__ float s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) INIT(&bar, 64);
  __syncthreads();
  COPY4(s + threadIdx.x, a + threadIdx.x);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
  wait_for(at(&bar), 0);
  b[threadIdx.x] = s[63 - threadIdx.x];
}

//@ good into_both_blocks_of_a_cluster grid=2 block=32 args="float32[64]= float32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) into_both_blocks_of_a_cluster(const float* a, float* b) {
  __shared__ __align__(128) float s[32];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    INIT(&bar, 1);
    EXPECT(&bar, 128);
  }
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
  if (blockIdx.x == 0 && threadIdx.x < 2) BULK_IN(in_block(s, threadIdx.x), a + threadIdx.x * 32, 128, in_block(&bar, threadIdx.x));
  wait_for(at(&bar), 0);
  b[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
}

//@ good copies_again_once_all_have_read block=64 args="float32[256]= float32[64]"
extern "C" __global__ void copies_again_once_all_have_read(const float* a, float* b) {
  __shared__ float s[64];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    COPY4(s + threadIdx.x, a + k * 64 + threadIdx.x);
    COMMIT;
    WAIT(0);
    __syncthreads();
    sum += s[63 - threadIdx.x] + s[threadIdx.x ^ 1];
    __syncthreads();
  }
  b[threadIdx.x] = sum;
}
