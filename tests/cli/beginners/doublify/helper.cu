__device__ float times(float value, float factor) { return value * factor; }

__device__ __forceinline__ unsigned global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = global_index();
  if (i < n) d_a[i] = times(d_a[i], factor);
}
