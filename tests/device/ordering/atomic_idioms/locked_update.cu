// A sum by reading and writing in two atomic steps, under a lock.
//@ choice N 64 | 128
//@ choice BLOCKS 1 | 4
//@ launch grid=$BLOCKS block=$N
//@ array lock int 1 = 0
//@ array o int 1 = 0
//@ expect o = [$BLOCKS * ($N // 32)]
extern "C" __global__ void $K(int* lock, int* o) {
  if (threadIdx.x % 32 == 0) {
    @{locked: while (atomicCAS(lock, 0, 1) != 0) {} __threadfence(); }@
    const int before = atomicAdd(o, 0);
    atomicExch(o, before + 1);
    @{locked: __threadfence(); atomicExch(lock, 0); }@
  }
}
