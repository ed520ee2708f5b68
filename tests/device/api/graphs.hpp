// Shared by tests of CUDA graphs: two kernels, a stream, and parameters of nodes.
#pragma once

#include "device/api/api_call.hpp"

namespace warpmark::test {

class Graphs : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    CUmodule module = nullptr;
    ASSERT_CU(api().load(&module, kTwoKernels));
    ASSERT_CU(api().function(&add_one_, module, "add_one"));
    ASSERT_CU(api().function(&scale_, module, "scale"));
    ASSERT_CU(api().stream_create(&stream_, CU_STREAM_NON_BLOCKING));
  }
  CUDA_KERNEL_NODE_PARAMS scale_by(CUdeviceptr& data, std::uint32_t& n, std::uint32_t& factor) {
    pointers_ = {&data, &n, &factor};
    CUDA_KERNEL_NODE_PARAMS node{};
    node.func = scale_;
    node.gridDimX = node.gridDimY = node.gridDimZ = 1;
    node.blockDimX = 32;
    node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = pointers_.data();
    return node;
  }
  static CUDA_MEMSET_NODE_PARAMS fill_with(CUdeviceptr to, unsigned value, std::size_t count) {
    CUDA_MEMSET_NODE_PARAMS node{};
    node.dst = to;
    node.value = value;
    node.elementSize = 4;
    node.width = count;
    node.height = 1;
    return node;
  }
  CUresult add_one_async(CUdeviceptr data, CUstream stream) {
    std::uint32_t n = 2;
    void* pointers[] = {&data, &n};
    return api().launch(add_one_, 1, 1, 1, 32, 1, 1, 0, stream, pointers, nullptr);
  }
  CUfunction add_one_ = nullptr, scale_ = nullptr;
  CUstream stream_ = nullptr;
  std::array<void*, 3> pointers_{};
};

/// A host node's function; `user` is an int.
inline void count_up(void* user) {
  ++*static_cast<int*>(user);
}

}  // namespace warpmark::test
