// Kernels that launch kernels, in relocatable code.
#include <cstdio>

__global__ void add(int* sum, int value) { atomicAdd(sum, value); }
__global__ void spread(int* sum, int depth) {
  add<<<1, 32>>>(sum, 1);
  if (depth > 0) spread<<<2, 1>>>(sum, depth - 1);
  if (cudaGetLastError() != cudaSuccess) *sum = -1;
}

int main() {
  int *sum, host = 0;
  cudaMalloc(&sum, sizeof host);
  cudaMemset(sum, 0, sizeof host);
  spread<<<1, 1>>>(sum, 3);
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", host, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
