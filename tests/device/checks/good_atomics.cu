// Correct: atomic operations of all kinds, and what is built of them.

//@ good histogram_in_shared grid=4 block=128 args="uint8[2048]= int32[256]=0 2048:int32"
extern "C" __global__ void histogram_in_shared(const unsigned char* a, int* b, int n) {
  __shared__ int bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[a[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (bins[i]) atomicAdd(b + i, bins[i]);
}

//@ good histogram_for_each_warp grid=2 block=64 args="uint8[512]= int32[16]=0"
extern "C" __global__ void histogram_for_each_warp(const unsigned char* a, int* b) {
  __shared__ int bins[2][16];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < 16) bins[warp][lane] = 0;
  __syncwarp();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < blockIdx.x * 256 + 256; i += 64) atomicAdd(&bins[warp][a[i] / 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(b + threadIdx.x, bins[0][threadIdx.x] + bins[1][threadIdx.x]);
}

//@ good atomics_of_all_kinds grid=2 block=64 args="int32[16]=0 uint64[8]=0 float32[2]=0 float64[2]=0"
extern "C" __global__ void atomics_of_all_kinds(int* a, unsigned long long* b, float* c, double* d) {
  int i = threadIdx.x;
  atomicAdd(a, i); atomicSub(a + 1, i); atomicMin(a + 2, -i); atomicMax(a + 3, i);
  atomicAnd(a + 4, i); atomicOr(a + 5, i); atomicXor(a + 6, i);
  atomicInc((unsigned*)a + 7, 10); atomicDec((unsigned*)a + 8, 10); atomicExch(a + 9, i); atomicCAS(a + 10, 0, i);
  atomicAdd(b, 1ull); atomicMax(b + 1, (unsigned long long)i); atomicCAS(b + 2, 0ull, 1ull); atomicExch(b + 3, 5ull);
  atomicAdd(c, 1.0f); atomicExch(c + 1, 2.0f); atomicAdd(d, 1.0);
  atomicAdd_block(a + 11 + blockIdx.x, 1); atomicAdd_system(a + 14, 1);
}

//@ good short_compare_and_swap grid=2 block=32 args="uint16[2]=0"
extern "C" __global__ void short_compare_and_swap(unsigned short* a) {
  unsigned short old = 0, seen;
  while ((seen = atomicCAS(a, old, (unsigned short)(old + 1))) != old) old = seen;
}

//@ good maximum_of_floats_by_swaps grid=2 block=64 args="float32[128]= float32[1]=0"
extern "C" __global__ void maximum_of_floats_by_swaps(const float* a, float* b) {
  float mine = a[blockIdx.x * 64 + threadIdx.x];
  int old = *(int*)b, seen;
  while (__int_as_float(old) < mine && (seen = atomicCAS((int*)b, old, __float_as_int(mine))) != old) old = seen;
}

//@ good double_add_by_swaps grid=2 block=32 args="float64[1]=0"
extern "C" __global__ void double_add_by_swaps(double* a) {
  unsigned long long* at = (unsigned long long*)a;
  unsigned long long old = *at, seen;
  do {
    seen = old;
    old = atomicCAS(at, seen, __double_as_longlong(1.5 + __longlong_as_double(seen)));
  } while (seen != old);
}

//@ good warp_lock_by_one_lane grid=4 block=64 args="int32[1]=0 int32[32]=0"
extern "C" __global__ void warp_lock_by_one_lane(int* lock, int* sums) {
  int lane = threadIdx.x % 32;
  if (lane == 0) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __syncwarp();
  sums[lane] += 1;
  __threadfence();
  __syncwarp();
  if (lane == 0) atomicExch(lock, 0);
}

//@ good block_lock grid=4 block=64 args="int32[1]=0 int32[64]=0"
extern "C" __global__ void block_lock(int* lock, int* sums) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
  }
  __syncthreads();
  sums[threadIdx.x] += blockIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(lock, 0);
}

//@ good ticket_lock grid=4 block=32 args="uint32[2]=0 int32[1]=0"
extern "C" __global__ void ticket_lock(unsigned* lock, int* sum) {
  if (threadIdx.x != 0) return;
  unsigned mine = atomicAdd(lock, 1u);
  while (atomicAdd(lock + 1, 0u) != mine) {}
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicAdd(lock + 1, 1u);
}

//@ good lock_in_shared block=128 args="int32[1]"
extern "C" __global__ void lock_in_shared(int* b) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      sum += threadIdx.x;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *b = sum;
}

//@ good stack_without_locks grid=2 block=32 args="int32[1]=0 int32[65]=0 int32[65]=0"
extern "C" __global__ void stack_without_locks(int* top, int* next, int* value) {
  int mine = blockIdx.x * 32 + threadIdx.x + 1;
  value[mine] = mine * 3;
  int old = atomicAdd(top, 0), seen;
  do {
    seen = old;
    next[mine] = seen;
    __threadfence();
    old = atomicCAS(top, seen, mine);
  } while (old != seen);
}

//@ good queue_of_work grid=4 block=32 args="int32[1]=0 int32[200]= int32[200]"
extern "C" __global__ void queue_of_work(int* next, const int* a, int* b) {
  for (;;) {
    int i = 0;
    if (threadIdx.x == 0) i = atomicAdd(next, 32);
    i = __shfl_sync(0xffffffff, i, 0) + threadIdx.x;
    if (i - (int)threadIdx.x >= 200) return;
    if (i < 200) b[i] = a[i] * 2;
  }
}

//@ good ring_between_blocks grid=2 block=32 args="int32[8]=0 int32[2]=0 int32[32]"
extern "C" __global__ void ring_between_blocks(int* ring, int* ends, int* out) {
  if (threadIdx.x != 0) return;
  volatile int* head = ends;
  volatile int* tail = ends + 1;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 32; ++i) {
      while (i - *tail >= 8) {}
      __threadfence();
      ring[i % 8] = i * i;
      __threadfence();
      *head = i + 1;
    }
  } else {
    for (int i = 0; i < 32; ++i) {
      while (*head <= i) {}
      __threadfence();
      out[i] = ring[i % 8];
      __threadfence();
      *tail = i + 1;
    }
  }
}

//@ good last_block_of_many grid=8 block=64 args="float32[512]= float32[8] uint32[1]=0 float32[1]"
extern "C" __global__ void last_block_of_many(const float* a, float* part, unsigned* count, float* out) {
  __shared__ float s[2];
  __shared__ bool last;
  float v = a[blockIdx.x * 64 + threadIdx.x];
  for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0] + s[1];
    __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  v = threadIdx.x < gridDim.x ? ((volatile float*)part)[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32) {
    for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x == 0) *out = v;
  }
}

//@ good look_back_scan grid=6 block=64 args="int32[384]= int32[384] int32[6]=0 int32[6] int32[6]"
extern "C" __global__ void look_back_scan(const int* a, int* b, volatile int* state, volatile int* sum, volatile int* prefix) {
  __shared__ int s[64], before;
  int i = threadIdx.x, at = blockIdx.x * 64 + i;
  s[i] = a[at];
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    int v = i >= step ? s[i - step] : 0;
    __syncthreads();
    s[i] += v;
  }
  __syncthreads();
  if (i == 0) {
    sum[blockIdx.x] = s[63];
    __threadfence();
    state[blockIdx.x] = 1;
    int total = 0;
    for (int from = (int)blockIdx.x - 1; from >= 0; --from) {
      int have;
      while ((have = state[from]) == 0) {}
      __threadfence();
      if (have == 2) {
        total += prefix[from];
        break;
      }
      total += sum[from];
    }
    prefix[blockIdx.x] = total + s[63];
    __threadfence();
    state[blockIdx.x] = 2;
    before = total;
  }
  __syncthreads();
  b[at] = s[i] + before;
}

//@ good barrier_of_the_grid_by_hand grid=4 block=32 args="uint32[1]=0 int32[128]= int32[128]"
extern "C" __global__ void barrier_of_the_grid_by_hand(unsigned* count, int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] *= 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  b[i] = a[127 - i];
}

//@ good release_and_acquire grid=2 block=32 args="int32[32] int32[1]=0 int32[32]"
extern "C" __global__ void release_and_acquire(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen;
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
    out[threadIdx.x] = data[threadIdx.x];
  }
}

//@ good aggregated_by_match block=64 args="int32[64]= int32[8]=0"
extern "C" __global__ void aggregated_by_match(const int* a, int* b) {
  int key = a[threadIdx.x] % 8, lane = threadIdx.x % 32;
  unsigned same = __match_any_sync(0xffffffff, key);
  if (__ffs(same) - 1 == lane) atomicAdd(b + key, __popc(same));
}

//@ good filter_by_ballot grid=2 block=64 args="int32[128]= int32[128] int32[1]=0"
extern "C" __global__ void filter_by_ballot(const int* a, int* b, int* count) {
  int v = a[blockIdx.x * 64 + threadIdx.x], lane = threadIdx.x % 32;
  unsigned yes = __ballot_sync(0xffffffff, v % 3 == 0);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(yes));
  base = __shfl_sync(0xffffffff, base, 0);
  if (yes >> lane & 1) b[base + __popc(yes & ((1u << lane) - 1))] = v;
}

//@ good exchange_hands_over grid=2 block=1 args="uint64[1]=0 int32[2]=0 int32[1]"
extern "C" __global__ void exchange_hands_over(unsigned long long* box, int* data, int* out) {
  if (blockIdx.x == 0) {
    data[1] = 77;
    __threadfence();
    atomicExch(box, (unsigned long long)(data + 1));
  } else {
    unsigned long long p;
    while ((p = atomicExch(box, 0ull)) == 0) {}
    __threadfence();
    *out = *(int*)p;
  }
}

//@ good count_of_the_done_in_shared block=96 args="int32[96]= int32[96]"
extern "C" __global__ void count_of_the_done_in_shared(const int* a, int* b) {
  __shared__ int s[96];
  __shared__ unsigned done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  s[threadIdx.x] = a[threadIdx.x];
  __threadfence_block();
  atomicAdd(&done, 1u);
  while (atomicAdd(&done, 0u) < 96) {}
  __threadfence_block();
  b[threadIdx.x] = s[95 - threadIdx.x];
}

//@ good flags_of_bits grid=4 block=64 args="uint32[8]=0 int32[1]=0"
extern "C" __global__ void flags_of_bits(unsigned* bits, int* count) {
  int key = (blockIdx.x * 64 + threadIdx.x) * 7 % 256;
  if ((atomicOr(bits + key / 32, 1u << key % 32) >> key % 32 & 1) == 0) atomicAdd(count, 1);
}

//@ good hash_table grid=2 block=64 args="uint32[256]=0 uint32[256]=0"
extern "C" __global__ void hash_table(unsigned* keys, unsigned* values) {
  unsigned key = blockIdx.x * 64 + threadIdx.x + 1;
  for (unsigned slot = key * 2654435761u >> 24;; slot = (slot + 1) % 256) {
    unsigned was = atomicCAS(keys + slot, 0u, key);
    if (was == 0 || was == key) {
      atomicAdd(values + slot, key);
      break;
    }
  }
}
