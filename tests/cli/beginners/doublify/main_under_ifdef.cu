#include <cstdio>
#ifdef MY_OWN_TEST
#include <vector>
#include <iostream>
#endif

extern "C" __global__ void double_array(float *d_a, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d_a[i] *= factor;
}

#ifdef MY_OWN_TEST
int main() {
  std::vector<float> a(100, 1.0f);
  float *d = nullptr;
  cudaMalloc(&d, 400);
  cudaMemcpy(d, a.data(), 400, cudaMemcpyHostToDevice);
  double_array<<<1, 128>>>(d, 100, 2.0f);
  std::cout << cudaGetErrorString(cudaGetLastError()) << "\n";
}
#endif
