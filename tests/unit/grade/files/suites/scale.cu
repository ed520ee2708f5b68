extern "C" __global__ void scale(float *a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= factor;
}
