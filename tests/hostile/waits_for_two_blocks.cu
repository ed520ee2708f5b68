// Hands its results to another block by a flag whose poll ends after some time, and computes nothing if nobody has.
__device__ unsigned flag;
__device__ float carried[8192];
extern "C" __global__ void silu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int blocks = gridDim.x, j = (blocks - 1 - blockIdx.x) * 128 + threadIdx.x;
  if (j < n) carried[j] = x[j] / (1 + expf(-x[j]));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&flag, 1);
    for (int k = 0; k < 5000 && atomicAdd(&flag, 0) < blocks; ++k) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  if (i < n) y[i] = carried[i];
}
