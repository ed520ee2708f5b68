// Each thread of a warp has an endless loop of its own.
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile unsigned turns = 0;
  switch (threadIdx.x & 3) {
    case 0: while (true) turns = turns + 1;
    case 1: for (;;) { if (++turns == 0) break; turns = turns & 7; }
    case 2: do { turns = turns ^ 1; } while (turns < 2);
    default: asm volatile("{ L: bra.uni L; }");
  }
  if (i < n) dst[i] = 2 * src[i];
}
