// A grid that waits for itself by the functions of cuda_device_runtime_api.h, in relocatable code.
#include <cstdio>

__global__ void turn(unsigned* values, unsigned* errors, unsigned steps) {
  const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScope(1));
  unsigned threads = 0, rank = 0;
  if (cudaCGGetSize(&threads, nullptr, grid) != cudaSuccess ||
      cudaCGGetRank(&rank, nullptr, grid) != cudaSuccess) {
    *errors = 1;
    return;
  }
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned next = values[(rank + 1) % threads];
    cudaCGSynchronize(grid, 0);
    values[rank] = next;
    cudaCGSynchronize(grid, 0);
  }
}

int main() {
  constexpr unsigned count = 12 * 64;
  unsigned *values, *errors, steps = 5, wrong = 0;
  cudaMallocManaged(&values, count * sizeof *values);
  cudaMallocManaged(&errors, sizeof *errors);
  *errors = 0;
  for (unsigned i = 0; i < count; ++i) values[i] = i;
  void* arguments[] = {&values, &errors, &steps};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(turn), 12, 64, arguments, 0, nullptr);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < count; ++i) wrong += values[i] != (i + steps) % count;
  std::printf("wrong %u errors %u", wrong, *errors);
  turn<<<1, 1>>>(values, errors, steps);  // not cooperative
  cudaDeviceSynchronize();
  std::printf(" then %u %s\n", *errors, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
