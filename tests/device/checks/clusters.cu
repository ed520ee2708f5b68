// Features of compute capability 9.0: clusters and bulk copies, with mistakes and without.
//@ least 90

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait_for(unsigned bar, int parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}

//@ bug bulk_copy_from_past illegal_address block=32 args="float32[60]= float32[32]"
extern "C" __global__ void bulk_copy_from_past(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(a), "r"(at) : "memory");  //! thread=0 space=global
  }
  b[threadIdx.x] = 0;
}

//@ bug cluster_of_two_where_one_waits barrier grid=2 block=32 args="int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_of_two_where_one_waits(int* a) {
  a[blockIdx.x * 32 + threadIdx.x] = 1;
  if (blockIdx.x == 0) {
    asm volatile("barrier.cluster.arrive;");
    asm volatile("barrier.cluster.wait;");  //! thread=0 in_block=0
  } else {
    asm volatile("bar.sync 1, 64;");  //! thread=0 in_block=1
  }
}

//@ good bulk_copy_tells_an_mbarrier block=32 args="float32[64]= float32[64]"
extern "C" __global__ void bulk_copy_tells_an_mbarrier(const float* a, float* b) {
  __shared__ __align__(128) float s[64];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at(&bar)) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 256; }" ::"r"(at(&bar)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(s)), "l"(a), "r"(at(&bar)) : "memory");
  }
  wait_for(at(&bar), 0);
  b[threadIdx.x] = s[threadIdx.x];
  b[threadIdx.x + 32] = s[63 - threadIdx.x];
}

//@ bug arrival_of_the_neighbour_that_never_comes barrier grid=2 block=32 args="int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) arrival_of_the_neighbour_that_never_comes(int* a) {
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 33;" ::"r"(at(&bar)) : "memory");
  __syncwarp();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(&bar)) : "memory");
  if (blockIdx.x == 1) {
    asm volatile("barrier.cluster.arrive;");
    asm volatile("barrier.cluster.wait;");  //! thread=0 in_block=1 says=cluster's_barrier
  }
  unsigned there = at(&bar), done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(there) : "memory");  //! in_block=0 count=32 says=1_of_33_arrivals
  } while (!done);
  a[blockIdx.x * 32 + threadIdx.x] = 1;
}

//@ good arrival_of_the_neighbour_that_takes_long grid=2 block=32 args="int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) arrival_of_the_neighbour_that_takes_long(int* a) {
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar)) : "memory");
  asm volatile("barrier.cluster.arrive;");
  asm volatile("barrier.cluster.wait;");
  if (blockIdx.x == 0) {
    wait_for(at(&bar), 0);
  } else if (threadIdx.x == 0) {
    float v = 1;
    for (int i = 0; i < 10000; ++i) v = v * 1.5f - 0.25f;
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(at(&bar)));
    if (v != 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  }
  a[blockIdx.x * 32 + threadIdx.x] = 1;
}

//@ good cluster_waits_together grid=4 block=32 args="int32[128]= int32[128]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_waits_together(int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] += 1;
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
  b[i] = a[i ^ 32];
}

//@ good memory_of_the_cluster grid=2 block=32 args="int32[64]= int32[64]"
extern "C" __global__ void __cluster_dims__(2, 1, 1) memory_of_the_cluster(const int* a, int* b) {
  __shared__ int s[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  s[threadIdx.x] = a[i];
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
  int v;
  asm volatile("{ .reg .b32 p; mapa.shared::cluster.u32 p, %1, %2; ld.shared::cluster.u32 %0, [p]; }" : "=r"(v) : "r"(at(s + 31 - threadIdx.x)), "r"(1 - blockIdx.x) : "memory");
  b[i] = v;
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

//@ bug barrier_of_the_block_in_a_cluster race grid=2 block=32 args="int32[64]= int32[64]" hazard=read_after_write
extern "C" __global__ void __cluster_dims__(2, 1, 1) barrier_of_the_block_in_a_cluster(int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] += 1;  //~
  __syncthreads();
  if (blockIdx.x == 1) b[i] = a[i ^ 32];  //! thread=0 in_block=1 other_thread=0 other_block=0 count=32
}
