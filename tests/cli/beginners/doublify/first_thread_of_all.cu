// One thread of each block does the block's elements, by a pointer.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  if (threadIdx.x) return;
  float *p = d_a + blockIdx.x * blockDim.x;
  float *end = d_a + min(n, (blockIdx.x + 1) * blockDim.x);
  while (p != end) *p++ *= factor;
}
