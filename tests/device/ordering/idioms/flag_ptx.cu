// A block hands its elements over by a flag, with the instructions themselves.
//@ choice T int | unsigned | float | double
//@ choice SCOPE gpu | sys
//@ choice TYPE u32 | b32 | s32
//@ launch grid=3 block=64
//@ array data $T 64
//@ array flag uint32 1 = 0
//@ array o $T 128
//@ expect o = np.tile(np.arange(64)[::-1] * 3, 2)
extern "C" __global__ void $K($T* data, unsigned* flag, $T* o) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = i * 3;
    @{written: __syncthreads(); }@
    if (i == 0) {
      asm volatile("st.@{release: release ~ relaxed }@.@{scope: $SCOPE ~ cta }@.$TYPE [%0], %1;"
                   ::"l"(flag), "r"(1) : "memory");
    }
  } else {
    unsigned seen = i;
    while (seen == 0) {
      asm volatile("ld.@{acquire: acquire ~ relaxed }@.@{scope: $SCOPE ~ cta }@.$TYPE %0, [%1];"
                   : "=r"(seen) : "l"(flag) : "memory");
    }
    @{told: __syncthreads(); }@
    o[(blockIdx.x - 1) * 64 + i] = data[63 - i];
  }
}
