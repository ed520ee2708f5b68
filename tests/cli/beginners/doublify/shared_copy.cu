// Through shared memory, though nobody needs it here.
extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  __shared__ float s[128];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[threadIdx.x] = d_a[i];
  __syncthreads();
  if (i < n) d_a[i] = s[threadIdx.x] * factor;
}
