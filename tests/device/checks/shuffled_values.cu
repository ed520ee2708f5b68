// Values that were never written and go through shuffles: they count where they are used. Lanes that meet at two places.

// As shfl_scan_test of the toolkit's samples: a whole warp scans sums of which there are fewer.
//@ good scan_of_sums_that_are_fewer_than_lanes grid=2 block=128 args="int32[256]="
extern "C" __global__ void scan_of_sums_that_are_fewer_than_lanes(int* data) {
  __shared__ int sums[32];
  int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = data[id];
  for (int i = 1; i < 32; i *= 2) {
    int n = __shfl_up_sync(0xffffffff, value, i);
    if (lane >= i) value += n;
  }
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int sum = sums[lane];
    for (int i = 1; i < 32; i *= 2) {
      int n = __shfl_up_sync(0xffffffff, sum, i);
      if (lane >= i) sum += n;
    }
    sums[lane] = sum;
  }
  __syncthreads();
  if (warp > 0) value += sums[warp - 1];
  data[id] = value;
}

//@ bug scan_reads_one_sum_too_many uninitialised block=64 args="int32[64]=" origin=shared
extern "C" __global__ void scan_reads_one_sum_too_many(int* data) {
  __shared__ int sums[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 31) sums[warp] = data[threadIdx.x];
  __syncthreads();
  int sum = sums[lane];
  int n = __shfl_up_sync(0xffffffff, sum, 1);
  if (warp == 1) data[threadIdx.x] = lane > 0 && lane < 4 ? n : 0;  //! thread=35 count=1
}

//@ bug branch_on_what_a_lane_never_had uninitialised block=32 args="int32[32]=0 int32[32]"
extern "C" __global__ void branch_on_what_a_lane_never_had(int* a, int* b) {
  __shared__ int s[32];
  if (threadIdx.x < 16) s[threadIdx.x] = a[threadIdx.x];
  __syncwarp();
  int n = __shfl_down_sync(0xffffffff, s[threadIdx.x], 1);
  if (threadIdx.x < 16 && n > 5) {  //! thread=15 count=1 hazard=branch
    b[threadIdx.x] = 1;
    asm volatile("" ::: "memory");
  }
}

//@ bug undefined_from_the_other_place uninitialised block=32 args="int32[32]=first16 int32[32]"
extern "C" __global__ void undefined_from_the_other_place(const int* a, int* b) {
  int v = a[threadIdx.x];
  if (threadIdx.x % 2) {
    b[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 16) + 1;
    asm volatile("" ::: "memory");
  } else {
    b[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 16) + 2;  //! thread=0 count=8 hazard=stored uses=-3
    asm volatile("// here" ::: "memory");
  }
}

//@ good shuffle_in_both_branches block=64 args="int32[64]= int32[64]"
extern "C" __global__ void shuffle_in_both_branches(const int* a, int* b) {
  int v = a[threadIdx.x];
  if (v % 3 == 0) {
    v = __shfl_xor_sync(0xffffffff, v, 1) * 2;
    asm volatile("" ::: "memory");
  } else {
    v = __shfl_xor_sync(0xffffffff, v + 1, 1) * 3;
  }
  b[threadIdx.x] = v;
}

//@ bug one_branch_without_its_shuffle barrier block=32 args="int32[32]= int32[32]"
extern "C" __global__ void one_branch_without_its_shuffle(const int* a, int* b) {
  int v = a[threadIdx.x];
  if (v < 9) {
    v = __shfl_xor_sync(0xffffffff, v, 1) * 2;  //! thread=0 count=8
    b[threadIdx.x] = v;
  } else {
    v = __shfl_up_sync(0xffffffff, v + 1, 1) * 3;  //! thread=8 count=24
  }
  b[threadIdx.x] = v;
}
