// A block hands a record over by a volatile flag and fences.
//@ choice T int | unsigned | float
//@ choice POLL *(volatile int*)flag | atomicAdd(flag, 0)
//@ launch grid=2 block=64
//@ array data $T 64
//@ array flag int32 1 = 0
//@ array o $T 64
//@ expect o = np.arange(64)[::-1] + 5
extern "C" __global__ void $K($T* data, int* flag, $T* o) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = i + 5;
    @{release: __threadfence(); ~ __threadfence_block(); }@
    @{written: __syncthreads(); }@
    if (i == 0) { *(volatile int*)flag = 1; }
  } else {
    if (i == 0) {
      while ($POLL == 0) {}
      @{acquire: __threadfence(); ~ __threadfence_block(); }@
    }
    @{told: __syncthreads(); }@
    o[i] = data[63 - i];
  }
}
