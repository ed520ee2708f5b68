// Reads of shared memory whose records are made only when something else happens in their range, and
// arrays that a launch writes through another pointer than the one that it reads by.
//@ least 10

//@ bug read_in_order_then_written race block=64 args="int32[64]" hazard=read_after_write
extern "C" __global__ void read_in_order_then_written(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = s[t ^ 32];  //!
  s[t] = v + 1;       //~
  __syncthreads();
  out[t] = s[t];
}

//@ good read_in_order_then_written_behind_a_barrier block=64 args="int32[64]"
extern "C" __global__ void read_in_order_then_written_behind_a_barrier(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = s[t ^ 32];
  __syncthreads();
  s[t] = v + 1;
  __syncthreads();
  out[t] = s[t];
}

//@ bug one_place_read_by_all_then_written race block=64 args="int32[64]" hazard=write_after_read
extern "C" __global__ void one_place_read_by_all_then_written(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = s[40];  //~
  if (t == 63) s[40] = 7;  //! thread=63
  __syncthreads();
  out[t] = v + s[t];
}

//@ bug rows_of_a_tile_read_then_written race block=16x16 args="float32[256]" hazard=read_after_write
extern "C" __global__ void rows_of_a_tile_read_then_written(float* out) {
  __shared__ float s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = x;
  __syncthreads();
  float v = s[15 - y][x];  //!
  s[y][x] = v;             //~
  __syncthreads();
  out[y * 16 + x] = s[y][x];
}

//@ bug column_of_a_tile_read_then_written race block=32x2 args="float32[64]" hazard=read_after_write
extern "C" __global__ void column_of_a_tile_read_then_written(float* out) {
  __shared__ float s[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  s[x][y] = x;
  __syncthreads();
  float v = s[x][1 - y];  //!
  s[x][y] = v;            //~
  __syncthreads();
  out[y * 32 + x] = s[x][y];
}

//@ bug some_lanes_read_then_others_write race block=64 args="int32[64]" hazard=write_after_read
extern "C" __global__ void some_lanes_read_then_others_write(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, v = 0;
  s[t] = t;
  __syncthreads();
  if (t % 3 == 0) v = s[63 - t];  //~
  if (t < 3) s[t] = 5;            //! thread=0
  out[t] = v;
}

//@ bug the_half_that_is_read_is_written_too_far race block=64 args="int32[64]" hazard=write_after_read
extern "C" __global__ void the_half_that_is_read_is_written_too_far(int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  s[0][t] = t;
  s[1][t] = 0;
  __syncthreads();
  int v = s[0][t];             //~
  s[1][(t + 64 - 8) % 64] = v;
  if (t == 0) s[0][33] = 7;    //! thread=0
  __syncthreads();
  out[t] = s[1][t];
}

//@ good two_halves_in_turn block=64 args="int32[64]"
extern "C" __global__ void two_halves_in_turn(int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x, now = 0;
  s[0][t] = t;
  __syncthreads();
  for (int reach = 1; reach < 64; reach *= 2) {
    s[now ^ 1][t] = t >= reach ? s[now][t] + s[now][t - reach] : s[now][t];
    now ^= 1;
    __syncthreads();
  }
  out[t] = s[now][t];
}

//@ bug two_halves_without_the_barrier_between race block=64 args="int32[64]" hazard=write_after_read
extern "C" __global__ void two_halves_without_the_barrier_between(int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  s[0][t] = t;
  s[1][t] = 0;
  __syncthreads();
  s[1][t] = s[0][63 - t] + 1;  //!
  out[t] = s[1][63 - t];       //~
}

//@ bug a_read_before_an_atomic_operation race block=64 args="int32[64]" hazard=read_after_write
extern "C" __global__ void a_read_before_an_atomic_operation(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = s[(t + 32) % 64];  //!
  atomicAdd(&s[t], 1);       //~
  out[t] = v;
}

//@ bug a_read_between_atomic_operations race only=optimised block=64 args="int32[64]" hazard=read_after_write
extern "C" __global__ void a_read_between_atomic_operations(int* out) {
  __shared__ int s[4];
  int t = threadIdx.x;
  if (t < 4) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[t % 4], 1);
  atomicAdd(&s[t % 4], 2);  //~
  out[t] = s[3 - t % 4];    //!
}

//@ good only_atomic_operations block=64 args="int32[64]"
extern "C" __global__ void only_atomic_operations(int* out) {
  __shared__ int s[4];
  int t = threadIdx.x;
  if (t < 4) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[t % 4], 1);
  atomicAdd(&s[t % 4], 2);
  __syncthreads();
  out[t] = s[3 - t % 4];
}

//@ bug a_plain_store_after_atomic_operations race only=optimised block=64 args="int32[64]" hazard=write_after_write
extern "C" __global__ void a_plain_store_after_atomic_operations(int* out) {
  __shared__ int s[4];
  int t = threadIdx.x;
  if (t < 4) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[t % 4], 1);
  atomicAdd(&s[t % 4], 2);   //~
  if (t == 40) s[1] = 9;     //! thread=40
  __syncthreads();
  out[t] = s[t % 4];
}

//@ bug one_array_for_both_parameters race grid=2 block=32 args="int32[64]=0 same" hazard=read_after_write
extern "C" __global__ void one_array_for_both_parameters(const int* in, int* out) {
  int t = blockIdx.x * 32 + threadIdx.x;
  int v = in[63 - t];  //! thread=0 in_block=1 other_block=0
  out[t] = v;          //~
}

//@ good two_arrays_for_both_parameters grid=2 block=32 args="int32[64]=0 int32[64]"
extern "C" __global__ void two_arrays_for_both_parameters(const int* in, int* out) {
  int t = blockIdx.x * 32 + threadIdx.x;
  int v = in[63 - t];
  out[t] = v;
}

__device__ int shared_by_all[64];

//@ bug a_variable_read_and_written race grid=2 block=32 args="int32[64]=0" hazard=read_after_write
extern "C" __global__ void a_variable_read_and_written(int* out) {
  int t = blockIdx.x * 32 + threadIdx.x;
  shared_by_all[t] = t;              //~
  out[t] = shared_by_all[t & 31];    //! in_block=1 other_block=0
}

//@ bug an_array_written_by_a_pointer_from_memory race grid=2 block=32 args="int32[64]=0 same uint64[1]=0" hazard=read_after_write
extern "C" __global__ void an_array_written_by_a_pointer_from_memory(const int* in, int* alias, unsigned long long* place) {
  int t = blockIdx.x * 32 + threadIdx.x;
  if (t == 0) {
    *place = (unsigned long long)alias;
    int* to = *(int* volatile*)place;
    to[40] = 1;  //~
  }
  if (t == 63) *place = in[40];  //! thread=31 in_block=1 ; race hazard=write_after_write thread=31 in_block=1 other_line=-4
}
