// Values that were never written, and code that only copies them.

//@ bug shared_unset uninitialised grid=1 block=32 args="int32[32]"
extern "C" __global__ void shared_unset(int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  b[i] = s[i + 1] + 1;  //!
}

//@ bug shared_stored uninitialised grid=1 block=32 args="int32[32]" thread=31
extern "C" __global__ void shared_stored(int* b) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  b[i] = s[i + 1];  //!
}

//@ bug global_unset uninitialised grid=1 block=32 args="float32[32] float32[32]"
extern "C" __global__ void global_unset(const float* a, float* b) {
  b[threadIdx.x] = a[threadIdx.x] * 2;  //!
}

//@ bug global_added uninitialised grid=2 block=32 args="float32[64] float32[64]="
extern "C" __global__ void global_added(float* sum, const float* a) {
  int i = blockIdx.x * 32 + threadIdx.x;
  sum[i] += a[i];  //!
}

//@ bug atomic_unset uninitialised grid=1 block=32 args="int32[1]"
extern "C" __global__ void atomic_unset(int* a) {
  atomicAdd(a, 1);  //!
}

//@ bug branch_on_unset uninitialised grid=1 block=32 args="int32[32] int32[32]"
extern "C" __global__ void branch_on_unset(const int* a, int* b) {
  int i = threadIdx.x, n = 0;
  while (n < a[i] % 7) n += i + 1;  //!
  b[i] = n;
}

//@ bug address_of_unset uninitialised grid=1 block=32 args="int32[32] int32[32]="
extern "C" __global__ void address_of_unset(const int* a, int* b) {
  b[a[threadIdx.x]] = 1;  //! thread=0 count=32 hazard=address ; race severity=warning thread=1 other_thread=0 other_line=0
}

//@ bug local_unset uninitialised grid=1 block=32 args="int32[32] 3:int32"
extern "C" __global__ void local_unset(int* b, int k) {
  int t[8];
  for (int i = 0; i < 4; ++i) t[(i * k) & 7] = i;
  b[threadIdx.x] = t[(threadIdx.x + k) & 7] + 1;  //!
}

// A copy, as it were: where the result is stored it is used.
//@ bug shuffle_of_unset uninitialised grid=1 block=32 args="int32[32] int32[32]"
extern "C" __global__ void shuffle_of_unset(const int* a, int* b) {
  b[threadIdx.x] = __shfl_xor_sync(~0u, a[threadIdx.x], 1);  //!
}

struct Padded { char c; double d; int i; };
//@ good padded_struct grid=1 block=32 args="uint8[768] uint8[768]"
extern "C" __global__ void padded_struct(Padded* a, Padded* b) {
  int i = threadIdx.x;
  a[i].c = 1; a[i].d = 2; a[i].i = 3;
  b[i] = a[i];
}

//@ good written_first grid=1 block=64 args="int32[64] int32[64]"
extern "C" __global__ void written_first(int* a, int* b) {
  a[threadIdx.x] = threadIdx.x;
  b[threadIdx.x] = a[threadIdx.x] + 1;
}

//@ good local_written grid=1 block=32 args="int32[32] 3:int32"
extern "C" __global__ void local_written(int* b, int k) {
  int t[8];
  for (int i = 0; i < 8; ++i) t[(i * k) & 7] = i;
  b[threadIdx.x] = t[(threadIdx.x + k) & 7] + 1;
}
