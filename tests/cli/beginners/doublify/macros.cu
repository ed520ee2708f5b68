#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define IN_RANGE(i, n) ((i) < (n))
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 128
#endif

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  if (IN_RANGE(INDEX, n)) { d_a[INDEX] *= factor; }
}
