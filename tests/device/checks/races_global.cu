// Races in global memory: between blocks, and between threads of one.

//@ bug blocks_overlap_by_one race grid=4 block=32 args="int32[125]" hazard=write_after_write
extern "C" __global__ void blocks_overlap_by_one(int* b) {
  b[blockIdx.x * 31 + threadIdx.x] = threadIdx.x;  //! thread=0 in_block=1 other_thread=31 other_block=0 count=3 index=31 other_line=0
}

//@ bug threads_of_a_block_overlap race block=64 args="int32[64]"
extern "C" __global__ void threads_of_a_block_overlap(int* b) {
  b[threadIdx.x / 2] = threadIdx.x;  //! hazard=write_after_write thread=1 other_thread=0 count=32 index=0 other_line=0
}

//@ bug reads_what_the_next_block_writes race grid=2 block=32 args="int32[64]= int32[64]" hazard=write_after_read
extern "C" __global__ void reads_what_the_next_block_writes(int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  b[i] = a[(i + 32) % 64];  //! hazard=read_after_write thread=0 in_block=1 other_thread=0 other_block=0 other_line=1 both_orders=True count=64
  a[i] = 0;
}

//@ bug in_place_stencil race block=64 args="float32[64]= 64:int32"
extern "C" __global__ void in_place_stencil(float* a, int n) {
  int i = threadIdx.x;
  float v = a[i] + a[(i + 1) % n];
  a[i] = v;  //! hazard=write_after_read thread=1 other_thread=0 other_line=-1 count=64 both_orders=True
}

//@ bug sum_into_one_place race grid=2 block=1 args="float32[2]= float32[1]=0"
extern "C" __global__ void sum_into_one_place(const float* a, float* b) {
  *b += a[blockIdx.x];  //! hazard=read_after_write thread=0 in_block=1 other_block=0 ; hazard=write_after_write in_block=1
}

//@ bug maximum_without_atomic race block=64 args="int32[64]= int32[1]=0"
extern "C" __global__ void maximum_without_atomic(const int* a, int* b) {
  if (a[threadIdx.x] > *b) *b = a[threadIdx.x];  //! hazard=write_after_read both_orders=True ; hazard=write_after_write
}

//@ bug last_block_without_fence race grid=4 block=32 args="int32[128]= int32[4] uint32[1]=0 int32[1]" hazard=read_after_write
extern "C" __global__ void last_block_without_fence(const int* a, int* part, unsigned* count, int* out) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = a[blockIdx.x * 32];  //~
  if (atomicAdd(count, 1u) == gridDim.x - 1) {
    int sum = 0;
    #pragma unroll 1
    for (int i = 0; i < gridDim.x; ++i) sum += part[i];  //! thread=0 in_block=3 other_thread=0 other_block=0 count=3
    *out = sum;
  }
}

//@ bug fence_behind_the_flag race grid=2 block=1 args="int32[1]=0 int32[1] int32[1]" hazard=read_after_write
extern "C" __global__ void fence_behind_the_flag(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    atomicExch(flag, 1);
    __threadfence();
    *data = 5;  //~
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    *out = *data;  //! thread=0 in_block=1 other_thread=0 other_block=0 count=1
  }
}

//@ bug plain_flag race grid=2 block=1 args="int32[1]=0 int32[1]=0"
extern "C" __global__ void plain_flag(int* flag, int* out) {
  if (blockIdx.x == 0) {
    *flag = 1;
  } else {
    *out = *flag;  //! hazard=read_after_write in_block=1 other_block=0 thread=0 other_line=-2
  }
}

//@ bug barrier_is_of_one_block_only race grid=2 block=64 args="int32[128] int32[128]" hazard=read_after_write
extern "C" __global__ void barrier_is_of_one_block_only(int* a, int* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] = i;  //~
  __syncthreads();
  if (blockIdx.x == 1) b[i] = a[127 - i];  //! thread=32 in_block=1 other_thread=31 other_block=0 count=64
}

//@ bug only_the_last_block_reads_wrongly race grid=9 block=32 args="int32[288] int32[288]" hazard=read_after_write
extern "C" __global__ void only_the_last_block_reads_wrongly(int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] = i;  //~
  int from = i == 287 ? 5 : i;
  b[i] = *(a + from);  //! thread=31 in_block=8 other_thread=5 other_block=0 count=1 index=5
}

//@ bug byte_written_beside_a_word race grid=2 block=1 args="uint8[8]=0" hazard=write_after_write
extern "C" __global__ void byte_written_beside_a_word(unsigned char* a) {
  if (blockIdx.x == 0) *(unsigned*)a = 5;  //~
  else a[3] = 1;  //! in_block=1 other_block=0 thread=0 bytes=1
}

//@ bug vector_over_a_neighbour race grid=2 block=32 args="float32[256]=" hazard=write_after_write
extern "C" __global__ void vector_over_a_neighbour(float* a) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (blockIdx.x == 0) ((float4*)a)[i] = make_float4(0, 0, 0, 0);  //~
  else a[i * 4 - 125] = 1;  //! thread=0 in_block=1 other_thread=0 other_block=0 index=3 bytes=4 count=32
}

//@ bug atomic_of_the_block_between_blocks race grid=2 block=1 args="int32[1]=0 int32[1] int32[1]" hazard=read_after_write
extern "C" __global__ void atomic_of_the_block_between_blocks(int* flag, int* data, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;  //~
    __threadfence_block();
    atomicExch_block(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}  //! race hazard=write_after_write count=1 other_line=-2 says=atomic_only_for_threads_of_the_same_block
    *out = *data;  //! thread=0 in_block=1 other_block=0
  }
}

//@ bug lock_given_back_too_early race grid=3 block=1 args="int32[1]=0 int32[1]=0 int32[1]=0"
extern "C" __global__ void lock_given_back_too_early(int* lock, int* x, int* y) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *x += 1;
  __threadfence();
  atomicExch(lock, 0);
  *y += 1;  //! hazard=read_after_write thread=0 in_block=1 other_block=0 ; hazard=write_after_write in_block=1
}

//@ bug two_locks_for_one_value race grid=2 block=1 args="int32[2]=0 int32[1]=0"
extern "C" __global__ void two_locks_for_one_value(int* locks, int* x) {
  while (atomicCAS(locks + blockIdx.x, 0, 1) != 0) {}
  __threadfence();
  *x += 1;  //! hazard=read_after_write in_block=1 other_block=0 ; hazard=write_after_write in_block=1 other_block=0
  __threadfence();
  atomicExch(locks + blockIdx.x, 0);
}

//@ bug grid_barrier_without_fence race grid=3 block=32 args="uint32[1]=0 int32[96]= int32[96]" hazard=read_after_write
extern "C" __global__ void grid_barrier_without_fence(unsigned* count, int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  a[i] += 1;  //~
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x) {}
  }
  __syncthreads();
  b[i] = a[95 - i];  //! count=64
}

//@ bug module_variable_counted race grid=2 block=1 args="int32[1]=0"
__device__ int counter;
extern "C" __global__ void module_variable_counted(int* b) {
  int v = counter;  //! hazard=read_after_write in_block=1 other_block=0 other_line=1
  counter = v + 1;  //! hazard=write_after_write in_block=1 other_block=0
  if (v > 5) *b = v;
}

//@ bug synchronizes_by_more_places_than_are_kept incomplete grid=2 block=32 args="int32[4096]=0 int32[1] int32[1]"
extern "C" __global__ void synchronizes_by_more_places_than_are_kept(int* flags, int* data, int* out) {
  if (blockIdx.x == 0) {
    for (int i = threadIdx.x; i < 4096; i += 32) {
      __threadfence();
      atomicAdd(flags + i, 1);
    }
    if (threadIdx.x == 0) data[0] = 1;
  } else if (threadIdx.x == 0) {
    for (int i = 0; i < 4096; ++i) atomicAdd(flags + i, 1);
    out[0] = data[0];  //! says=count_as_ordered
  }
}

//@ bug counted_by_each_block race grid=2 block=32 args="int32[1]=0"
extern "C" __global__ void counted_by_each_block(int* b) {
  atomicAdd_block(b, 1);  //! thread=0 in_block=1 hazard=write_after_write says=atomic_only_for_threads_of_the_same_block
}

//@ good counted_in_each_block grid=2 block=64 args="int32[2]=0"
extern "C" __global__ void counted_in_each_block(int* b) {
  atomicAdd_block(b + blockIdx.x, 1);
}
