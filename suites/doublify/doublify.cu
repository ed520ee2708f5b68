// Doubles a 4 x 4 array in place: one block of 4 x 4 threads, one element each.
#ifndef T
#define T float
#endif

extern "C" __global__ void doublify(T *a) {
  int idx = threadIdx.x + threadIdx.y * 4;
  a[idx] *= 2;
}
