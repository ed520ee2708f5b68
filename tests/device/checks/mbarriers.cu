// mbarriers as memory: made before they are used, seen by all, and not written over.
typedef unsigned long long u64;

__device__ unsigned at(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ void make(u64* b, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory"); }
__device__ void take_back(u64* b) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(b)) : "memory"); }
__device__ u64 arrive(u64* b) {
  u64 state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(b)) : "memory");
  return state;
}
__device__ void wait(u64* b, u64 state) {
  asm volatile(
      "{ .reg .pred done; AGAIN: mbarrier.test_wait.shared.b64 done, [%0], %1; @!done bra AGAIN; }" ::"r"(at(b)), "l"(state)
      : "memory");
}

//@ good made_used_taken_back_and_made_anew block=64 args="int32[64]= int32[64]"
extern "C" __global__ void made_used_taken_back_and_made_anew(const int* a, int* b) {
  __shared__ u64 bar;
  __shared__ int s[64];
  int t = threadIdx.x, v = a[t];
  for (int round = 0; round < 3; ++round) {
    if (t == 0) make(&bar, 64);
    __syncthreads();
    s[t] = v;
    wait(&bar, arrive(&bar));
    v = s[63 - t];
    __syncthreads();
    if (t == 0) take_back(&bar);
    __syncthreads();
  }
  b[t] = v;
}

//@ good taken_back_by_the_one_who_waits block=64 args="int32[64]= int32[64]"
extern "C" __global__ void taken_back_by_the_one_who_waits(const int* a, int* b) {
  __shared__ u64 bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) make(&bar, 64);
  __syncthreads();
  s[t] = a[t];
  u64 state = arrive(&bar);
  if (t != 0) return;
  wait(&bar, state);
  take_back(&bar);
  *(volatile u64*)&bar = 5;
  for (int k = 0; k < 64; ++k) b[k] = s[k];
}

//@ bug never_made uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void never_made(const int* a, int* b) {
  __shared__ u64 bar;
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(&bar)) : "memory");  //! thread=0 hazard=used_as_an_mbarrier origin=shared says=of_bar
  b[threadIdx.x] = a[threadIdx.x];
}

//@ bug used_after_it_was_taken_back uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void used_after_it_was_taken_back(const int* a, int* b) {
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    make(&bar, 1);
    take_back(&bar);
  }
  __syncthreads();
  if (threadIdx.x == 9)
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(&bar)) : "memory");  //! thread=9 hazard=used_as_an_mbarrier
  b[threadIdx.x] = a[threadIdx.x];
}

//@ bug made_without_a_meeting race block=64 args="int32[64]= int32[64]"
extern "C" __global__ void made_without_a_meeting(const int* a, int* b) {
  __shared__ u64 bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at(&bar)) : "memory");
  s[t] = a[t];
  u64 state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");  //! hazard=write_after_write thread=1 other_line=-3 count=63
  wait(&bar, state);
  b[t] = s[63 - t];
}

//@ bug written_over race most=90 block=64 args="int32[64]= int32[64]"
extern "C" __global__ void written_over(const int* a, int* b) {
  __shared__ u64 bar;
  int t = threadIdx.x;
  if (t == 0) make(&bar, 64);
  __syncthreads();
  if (t < 40) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(&bar)) : "memory");  //! sync says=expects_no_more_arrivals
  if (t == 40) *(int*)&bar = a[0];  //! thread=40 hazard=write_after_write other_line=-1
  b[t] = a[t];
}

//@ bug made_for_a_count_without_a_value uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void made_for_a_count_without_a_value(const int* a, int* b) {
  __shared__ u64 bar;
  int count;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(&bar)), "r"(count) : "memory");  //! thread=0 hazard=used_by_an_mbarrier origin=register
  b[threadIdx.x] = a[threadIdx.x];
}

//@ bug waited_for_a_state_without_a_value uninitialised block=32 args="int32[32]= int32[32]"
extern "C" __global__ void waited_for_a_state_without_a_value(const int* a, int* b) {
  __shared__ u64 bar;
  u64 state;
  if (threadIdx.x == 0) make(&bar, 1);
  __syncthreads();
  int done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&bar)), "l"(state) : "memory");  //! thread=0 hazard=used_by_an_mbarrier origin=register
  b[threadIdx.x] = a[threadIdx.x] + 0 * done;
}
