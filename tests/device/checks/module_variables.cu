// Variables of modules and static ones of functions: one for all threads, blocks and calls.
//@ least 80

__device__ int total;
__device__ unsigned finished;
__device__ float partial_sums[8];
__device__ int queue[64];
__device__ unsigned queue_end;
__constant__ float weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
__device__ volatile int ready;
__device__ int* published;

struct Settings {
  int width;
  float scale;
};
__device__ Settings settings = {8, 2.0f};

//@ bug numbers_from_a_static_variable race block=32 args="int32[32]"
__device__ __noinline__ int counted_number() {
  static int number = 0;
  return ++number;  //! hazard=write_after_read other_line=0
}
extern "C" __global__ void numbers_from_a_static_variable(int* b) {
  b[threadIdx.x] = counted_number();
}

//@ good numbers_from_a_static_counter grid=2 block=32 args="int32[64]"
__device__ __noinline__ int atomic_number() {
  static int number = 0;
  return atomicAdd(&number, 1);
}
extern "C" __global__ void numbers_from_a_static_counter(int* b) {
  b[atomic_number() % 64] = 1;
}

//@ good static_table_of_a_function block=32 args="int32[32]"
__device__ __noinline__ int days_of(int month) {
  static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month];
}
extern "C" __global__ void static_table_of_a_function(int* b) {
  b[threadIdx.x] = days_of(threadIdx.x % 12);
}

//@ bug month_after_the_last_of_a_static_table illegal_address block=32 args="int32[32]" access=read
__device__ __noinline__ int days_up_to(int month) {
  static int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int sum = 0;
  for (int m = 0; m <= month; ++m) sum += days[m];  //! thread=12 side=after distance=1
  return sum;
}
extern "C" __global__ void month_after_the_last_of_a_static_table(int* b) {
  b[threadIdx.x] = days_up_to(threadIdx.x % 13);
}

//@ bug static_room_of_a_function_for_two_calls race block=64 args="int32[64]= int32[64]"
// The second call writes what the first one may still read.
__device__ __noinline__ int from_the_other_end(int v) {
  __shared__ int room[64];
  room[threadIdx.x] = v;  //~
  __syncthreads();
  return room[63 - threadIdx.x];  //! hazard=read_after_write both_orders=True
}
extern "C" __global__ void static_room_of_a_function_for_two_calls(const int* a, int* b) {
  int v = from_the_other_end(a[threadIdx.x]);
  b[threadIdx.x] = from_the_other_end(v + 1);
}

//@ good static_room_of_a_function_guarded_twice block=64 args="int32[64]= int32[64]"
__device__ __noinline__ int from_the_other_end_in_turn(int v) {
  __shared__ int room[64];
  room[threadIdx.x] = v;
  __syncthreads();
  int other = room[63 - threadIdx.x];
  __syncthreads();
  return other;
}
extern "C" __global__ void static_room_of_a_function_guarded_twice(const int* a, int* b) {
  int v = from_the_other_end_in_turn(a[threadIdx.x]);
  b[threadIdx.x] = from_the_other_end_in_turn(v + 1);
}

//@ bug total_of_the_module_without_an_atomic race grid=2 block=32 args="int32[64]="
extern "C" __global__ void total_of_the_module_without_an_atomic(const int* a) {
  int v = __reduce_add_sync(0xffffffff, a[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) total += v;  //! hazard=write_after in_block=1 other_block=0 other_line=0 ; hazard=read_after_write in_block=1 other_line=0
}

//@ good sums_of_the_module_by_the_last_block grid=8 block=32 args="float32[256]= float32[1]"
extern "C" __global__ void sums_of_the_module_by_the_last_block(const float* a, float* b) {
  float v = a[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x != 0) return;
  partial_sums[blockIdx.x] = v;
  __threadfence();
  if (atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1) {
    __threadfence();
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += partial_sums[i];
    *b = sum;
  }
}

//@ bug sums_of_the_module_for_more_blocks illegal_address grid=9 block=32 args="float32[288]=" access=write
extern "C" __global__ void sums_of_the_module_for_more_blocks(const float* a) {
  float v = a[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = v;  //! in_block=8 thread=0 side=after distance=1
}

//@ bug queue_filled_and_read_at_once race grid=2 block=32 args="int32[64]= int32[64]=0"
extern "C" __global__ void queue_filled_and_read_at_once(const int* a, int* b) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (a[i] % 2) queue[atomicAdd(&queue_end, 1)] = a[i];  //~
  __syncthreads();
  unsigned count = atomicAdd(&queue_end, 0);
  b[i] = queue[i % count];  //! hazard=read_after_write in_block=1
}

//@ bug kernel_of_weights_past_its_corner illegal_address block=8 args="float32[24]= float32[8]" access=read space=const
extern "C" __global__ void kernel_of_weights_past_its_corner(const float* a, float* b) {
  float sum = 0;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) sum += a[y * 8 + (threadIdx.x + x) % 8] * weights[y * 3 + x + threadIdx.x / 4];  //! thread=4 count=4
  }
  b[threadIdx.x] = sum;
}

//@ good settings_of_the_module block=32 args="float32[32]"
extern "C" __global__ void settings_of_the_module(float* b) {
  const Settings mine = settings;
  if (threadIdx.x < mine.width) b[threadIdx.x] = mine.scale * weights[threadIdx.x % 9];
}

//@ bug settings_changed_for_oneself race grid=2 block=32 args="float32[64]"
extern "C" __global__ void settings_changed_for_oneself(float* b) {
  if (blockIdx.x == 1 && threadIdx.x == 0) settings.scale = 3;  //! thread=0 in_block=1 other_block=0 hazard=write_after_read
  __syncthreads();
  b[blockIdx.x * 32 + threadIdx.x] = settings.scale;  //~
}

//@ good flag_of_the_module_with_fences grid=2 block=1 args="int32[1]"
extern "C" __global__ void flag_of_the_module_with_fences(int* b) {
  if (blockIdx.x == 0) {
    queue[5] = 7;
    __threadfence();
    ready = 1;
  } else {
    while (ready == 0) {}
    __threadfence();
    *b = queue[5];
  }
}

//@ bug pointer_of_the_module_published_before_its_data race grid=2 block=1 args="int32[1]=0 int32[1]"
extern "C" __global__ void pointer_of_the_module_published_before_its_data(int* flag, int* b) {
  if (blockIdx.x == 0) {
    int* data = (int*)malloc(16);
    data[0] = data[1] = 5;
    published = data;
    __threadfence();
    atomicExch(flag, 1);
    data[1] = 6;  //~
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    *b = published[0] + published[1];  //! hazard=read_after_write in_block=1
  }
}

//@ good pointer_of_the_module_published_with_its_data grid=2 block=1 args="int32[1]=0 int32[1]"
extern "C" __global__ void pointer_of_the_module_published_with_its_data(int* flag, int* b) {
  if (blockIdx.x == 0) {
    int* data = (int*)malloc(16);
    data[0] = data[1] = 5;
    published = data;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    *b = published[0] + published[1];
    free(published);
  }
}
