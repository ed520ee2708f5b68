// A program for the CPU around the kernel: compiles with nvcc, but is no kernel to hand in.
#include <iostream>

__global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d_a[i] *= factor;
}

int main() {
  float *d_a;
  cudaMalloc(&d_a, 400 * sizeof(float));
  double_array<<<4, 128>>>(d_a, 400, 2);
  cudaDeviceSynchronize();
  std::cout << "done\n";
}
