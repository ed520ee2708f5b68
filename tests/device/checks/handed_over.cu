// Data that one block hands over to another: locks, flags, orders and scopes of cuda::atomic_ref, packed words.
//@ least 80
#include <cuda/atomic>
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

//@ bug lock_given_back_by_a_plain_store race grid=3 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_given_back_by_a_plain_store(int* lock, int* value) {
  while (atomicCAS(lock, 0, 1) != 0) {}  //! other_line=4
  __threadfence();
  atomicAdd(value, 1);
  __threadfence();
  *lock = 0;  //! other_line=0
}

//@ bug message_in_relaxed_order race grid=2 block=1 args="int32[1]=0 int32[1] int32[1]" hazard=read_after_write
extern "C" __global__ void message_in_relaxed_order(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;  //~
    Flag(*flag).store(1, cuda::memory_order_relaxed);
  } else {
    while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  //! in_block=1 other_block=0
  }
}

//@ bug writer_looks_plainly_whether_readers_are_there race grid=4 block=1 args="int32[1]=0 int32[1]=0 int32[4]"
extern "C" __global__ void writer_looks_plainly_whether_readers_are_there(int* readers, int* value, int* out) {
  if (blockIdx.x < 3) {
    atomicAdd(readers, 1);
    out[blockIdx.x] = atomicAdd(value, 0);
    atomicAdd(readers, -1);
  } else {
    if (*readers == 0) atomicExch(value, 9);  //!
    out[3] = 0;
  }
}

//@ bug two_flags_taken_for_each_other race grid=2 block=32 args="int32[2]=0 int32[64] int32[32]" hazard=read_after_write
extern "C" __global__ void two_flags_taken_for_each_other(int* flags, int* data, int* out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    __syncthreads();
    if (t == 0) Flag(flags[0]).store(1, cuda::memory_order_release);
    data[32 + t] = 2 * t;  //~
    __syncthreads();
    if (t == 0) Flag(flags[1]).store(1, cuda::memory_order_release);
  } else {
    if (t == 0) while (Flag(flags[0]).load(cuda::memory_order_acquire) == 0) {}
    __syncthreads();
    out[t] = data[32 + t];  //! in_block=1 thread=0 count=32
  }
}

//@ bug place_given_back_before_it_is_read race grid=2 block=1 args="int32[4]=0 int32[2]=0 int32[12]"
extern "C" __global__ void place_given_back_before_it_is_read(int* ring, int* ends, int* out) {
  Flag head(ends[0]), tail(ends[1]);
  if (blockIdx.x == 0) {
    #pragma unroll 1
    for (int i = 0; i < 12; ++i) {
      while (i - tail.load(cuda::memory_order_acquire) >= 4) {}
      ring[i % 4] = i;  //!
      head.store(i + 1, cuda::memory_order_release);
    }
  } else {
    #pragma unroll 1
    for (int i = 0; i < 12; ++i) {
      while (head.load(cuda::memory_order_acquire) <= i) {}
      tail.store(i + 1, cuda::memory_order_release);
      out[i] = ring[i % 4];  //~
    }
  }
}

//@ good message_between_fences grid=2 block=1 args="int32[1]=0 int32[1] int32[1]"
extern "C" __global__ void message_between_fences(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    Flag(*flag).store(1, cuda::memory_order_relaxed);
  } else {
    while (Flag(*flag).load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    *out = *data;
  }
}

//@ good lock_given_back_by_a_volatile_store grid=3 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_given_back_by_a_volatile_store(int* lock, int* value) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *value += 1;
  __threadfence();
  *(volatile int*)lock = 0;
}

//@ good lock_of_an_atomic_flag grid=4 block=32 args="int32[1]=0 float32[1]=0"
extern "C" __global__ void lock_of_an_atomic_flag(int* lock, float* sum) {
  if (threadIdx.x % 8 != 0) return;
  for (bool done = false; !done;) {
    int expected = 0;
    if (Flag(*lock).compare_exchange_weak(expected, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
      *sum += 0.5f;
      Flag(*lock).store(0, cuda::memory_order_release);
      done = true;
    }
  }
}

//@ good readers_and_a_writer grid=5 block=1 args="int32[1]=0 int32[2]=0 int32[5]"
// A negative count is the writer's.
extern "C" __global__ void readers_and_a_writer(int* state, int* pair, int* out) {
  Flag s(*state);
  if (blockIdx.x == 2) {
    for (int expected = 0; !s.compare_exchange_strong(expected, -1, cuda::memory_order_acquire, cuda::memory_order_relaxed); expected = 0) {}
    pair[0] = 3;
    pair[1] = 4;
    s.store(0, cuda::memory_order_release);
    out[2] = 0;
  } else {
    for (int seen = s.load(cuda::memory_order_relaxed);;) {
      if (seen < 0) seen = s.load(cuda::memory_order_relaxed);
      else if (s.compare_exchange_weak(seen, seen + 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break;
    }
    out[blockIdx.x] = pair[0] + pair[1];
    s.fetch_sub(1, cuda::memory_order_release);
  }
}

// Decoupled look-back, where a state and its sum are one word: no fence is needed, for nothing else is handed over.
//@ good look_back_over_packed_words grid=6 block=32 args="int32[192]= int32[192] uint64[6]=0"
extern "C" __global__ void look_back_over_packed_words(const int* a, int* b, unsigned long long* words) {
  int lane = threadIdx.x, i = blockIdx.x * 32 + lane, v = a[i];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, step);
    if (lane >= step) v += other;
  }
  unsigned total = __shfl_sync(0xffffffff, v, 31), before = 0;
  using Word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
  if (lane == 0) Word(words[blockIdx.x]).store((blockIdx.x == 0 ? 2ull : 1ull) << 32 | total, cuda::memory_order_relaxed);
  if (blockIdx.x > 0) {
    // 32 predecessors at a time; those before the first block count as done.
    for (int from = (int)blockIdx.x - 1 - lane;; from -= 32) {
      unsigned long long w;
      do {
        w = from < 0 ? 2ull << 32 : Word(words[from]).load(cuda::memory_order_relaxed);
      } while (__any_sync(0xffffffff, w >> 32 == 0));
      unsigned done = __ballot_sync(0xffffffff, w >> 32 == 2);
      int last = done ? __ffs(done) - 1 : 31;
      before += __reduce_add_sync(0xffffffff, lane <= last ? (unsigned)w : 0u);
      if (done) break;
    }
    if (lane == 0) Word(words[blockIdx.x]).store(2ull << 32 | (before + total), cuda::memory_order_relaxed);
  }
  b[i] = v + before;
}

//@ good read_again_if_a_writer_was_there grid=3 block=1 args="uint32[1]=0 int32[2]=0 int32[3]"
extern "C" __global__ void read_again_if_a_writer_was_there(unsigned* version, volatile int* pair, int* out) {
  volatile unsigned* v = version;
  if (blockIdx.x == 0) {
    *v = 1;
    __threadfence();
    pair[0] = 5;
    pair[1] = -5;
    __threadfence();
    *v = 2;
    out[0] = 0;
  } else {
    unsigned first, then;
    int sum;
    do {
      first = *v;
      __threadfence();
      sum = pair[0] + pair[1];
      __threadfence();
      then = *v;
    } while (first != then || first % 2);
    out[blockIdx.x] = sum;
  }
}
