// Code for the CPU that includes a file which it may not see.
#include "torch/extension.h"
#include <ATen/cuda/CUDAContext.h>
#include "/etc/passwd"
#include "../suite/twice.cu"
#include </etc/shadow>
extern "C" __global__ void twice(const float *src, float *dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i];
}
torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "a tensor of the GPU");
  auto y = torch::empty_like(x);
  twice<<<(x.numel() + 63) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
