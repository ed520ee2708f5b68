// How often each of 256 values is in an array of bytes.

// Every element is an atomic addition in global memory. Where elements are equal, they wait for
// each other across the whole device.
extern "C" __global__ void global_atomics(const unsigned char *x, unsigned *bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1);
}

// Each block of 256 threads has bins of its own in shared memory, and adds them once at the end.
extern "C" __global__ void privatised(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[x[i]], 1);
  __syncthreads();
  if (own[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// A load, an addition and a store: two threads that load the same count lose one.
extern "C" __global__ void not_atomic(const unsigned char *x, unsigned *bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++bins[x[i]];
}
