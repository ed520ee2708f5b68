// Relocatable code: a kernel whose function and variable are in another file.
#include <cstdio>

#ifdef SECOND_PART
__device__ int offset = 5;
__device__ int add_offset(int value) { return value + offset; }
#else
extern __device__ int offset;
__device__ int add_offset(int value);
__global__ void add(int* value) { *value = add_offset(*value); }

int main() {
  int *device, value = 30, more = 12;
  cudaMalloc(&device, 4);
  cudaMemcpy(device, &value, 4, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(offset, &more, 4);
  add<<<1, 1>>>(device);
  cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", value, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
#endif
