// Blocks count that they are done by a reduction; one block waits for all and adds up what they have written.
//@ choice T int | unsigned | float | double
//@ choice N 32 | 64
//@ choice SCOPE gpu | sys
//@ launch grid=4 block=$N
//@ array data $T 3*$N
//@ array done uint32 1 = 0
//@ array o $T $N
//@ expect o = np.arange($N)[::-1] * 3 + 60
extern "C" __global__ void $K($T* data, unsigned* done, $T* o) {
  const int i = threadIdx.x, b = blockIdx.x - 1;
  if (b >= 0) {
    data[b * $N + i] = i + b * 20;
    @{written: __syncthreads(); }@
    if (i == 0) {
      asm volatile("red.@{release: release ~ relaxed }@.@{scope: $SCOPE ~ cta }@.add.u32 [%0], %1;"
                   ::"l"(done), "r"(1) : "memory");
    }
  } else {
    unsigned count = i == 0 ? 0 : 3;
    while (count < 3) {
      asm volatile("ld.@{acquire: acquire ~ relaxed }@.@{scope: $SCOPE ~ cta }@.u32 %0, [%1];"
                   : "=r"(count) : "l"(done) : "memory");
    }
    @{told: __syncthreads(); }@
    o[i] = data[$N - 1 - i] + data[2 * $N - 1 - i] + data[3 * $N - 1 - i];
  }
}
