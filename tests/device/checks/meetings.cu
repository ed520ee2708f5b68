// Barriers and warp operations that not everybody reaches.

//@ bug barrier_in_both_branches sync most=90 grid=1 block=64 args="int32[64]"
extern "C" __global__ void barrier_in_both_branches(int* a) {
  // The first warp alone, and the second with the first, too.
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  //! hazard=in_warp thread=0 other_line=3 only=debug ; hazard=in_block thread=32 other_line=3 only=debug
    a[threadIdx.x] = 1;
  } else {
    __syncthreads();  //! hazard=in_warp thread=1 other_line=-3 only=optimised ; hazard=in_block thread=33 other_line=-3 only=optimised
    a[threadIdx.x] = 2;
  }
}

//@ bug mask_without_caller sync grid=1 block=32 args="int32[32]"
extern "C" __global__ void mask_without_caller(int* a) {
  a[threadIdx.x] = 0;
  // Lanes 0 to 7 name 0 to 15, lanes 8 to 15 name 16 to 31, which have left by then.
  if (threadIdx.x < 16)
    __syncwarp(0xffff0000u >> (threadIdx.x < 8 ? 16 : 0));  //! hazard=Invalid thread=8 count=8
  a[threadIdx.x] = 1;
}

//@ bug exited_lane_named sync grid=1 block=32 args="int32[32]"
extern "C" __global__ void exited_lane_named(int* a) {
  if (threadIdx.x >= 20) return;
  a[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1);  //!
}

//@ bug lanes_never_come barrier grid=1 block=32 args="int32[32]"
extern "C" __global__ void lanes_never_come(int* a) {
  if (threadIdx.x < 16) {
    __syncwarp();  //!
  } else {
    __syncthreads();  //!
  }
  a[threadIdx.x] = 1;
}

//@ good early_return grid=1 block=96 args="int32[96] 70:int32"
extern "C" __global__ void early_return(int* a, int n) {
  if (threadIdx.x >= n) return;
  a[threadIdx.x] = 1;
}

//@ good partial_warp grid=1 block=16 args="int32[16]"
extern "C" __global__ void partial_warp(int* a) {
  a[threadIdx.x] = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 1);
}

//@ good barrier_after_uneven_loops grid=1 block=64 args="int32[64]"
extern "C" __global__ void barrier_after_uneven_loops(int* a) {
  int sum = 0;
  for (int i = 0; i < threadIdx.x * 80; ++i) sum += i ^ threadIdx.x;
  __syncthreads();
  a[threadIdx.x] = sum;
}

//@ bug two_barriers_on_one_line sync most=90 grid=1 block=64 args="int32[64]=" hazard=in_block
extern "C" __global__ void two_barriers_on_one_line(int* a) {
  __shared__ int s[64];
  int i = threadIdx.x, v;
  if (i < 40) { s[i] = a[i]; __syncthreads(); v = s[63 - i] + 1; } else { s[i] = 0; __syncthreads(); v = s[63 - i] * 2; }  //!
  a[i] = v;
}

//@ bug two_barriers_of_a_macro sync most=90 grid=1 block=64 args="int32[64]=" hazard=in_block
#define EITHER(condition, one, other) if (condition) { one; __syncthreads(); a[i] = s[63 - i]; } else { other; __syncthreads(); a[i] = -s[63 - i]; }
extern "C" __global__ void two_barriers_of_a_macro(int* a) {
  __shared__ int s[64];
  int i = threadIdx.x;
  EITHER(i < 32, s[i] = a[i], s[i] = 1)  //!
}

//@ good a_barrier_of_an_unrolled_loop grid=1 block=64 args="int32[64]="
extern "C" __global__ void a_barrier_of_an_unrolled_loop(int* a) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = a[i];
  #pragma unroll
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    int v = s[i ^ step];
    __syncthreads();
    s[i] += v;
  }
  a[i] = s[i];
}
