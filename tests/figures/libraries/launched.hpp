// Shared by the programs here, which launch a kernel of a public repository on small inputs: random numbers, memory of the device,
// tensor maps, and the comparison.
#pragma once
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <type_traits>
#include <vector>

namespace launched {

inline void require(bool good, const char* what) {
  if (good) return;
  std::printf("Failed: %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
  std::exit(1);
}

/// Random numbers from -1 to 1 as T has them, and as floats.
template <typename T>
struct Numbers {
  std::vector<T> own;
  std::vector<float> plain;
  T* device = nullptr;

  Numbers(std::size_t count, unsigned seed, float scale = 1) : own(count), plain(count) {
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < count; ++k) {
      own[k] = T((float(random() % 2049) / 1024 - 1) * scale);
      plain[k] = float(own[k]);
    }
    require(cudaMalloc(&device, count * sizeof(T)) == cudaSuccess, "cudaMalloc");
    cudaMemcpy(device, own.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
};

/// Memory that a kernel writes.
template <typename T>
struct Result {
  std::size_t count;
  T* device = nullptr;

  explicit Result(std::size_t count) : count(count) {
    require(cudaMalloc(&device, count * sizeof(T)) == cudaSuccess, "cudaMalloc");
  }
  void zero() { cudaMemset(device, 0, count * sizeof(T)); }
  [[nodiscard]] std::vector<T> fetch() const {
    require(cudaDeviceSynchronize() == cudaSuccess, "the kernel");
    std::vector<T> values(count);
    cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
};

template <typename T>
constexpr CUtensorMapDataType data_type() {
  if constexpr (std::is_same_v<T, float>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  else if constexpr (sizeof(T) == 2)
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  else
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

/// Rows of `inner` numbers each, in boxes; `swizzle` in bytes, 0 for none.
template <typename T>
CUtensorMap map_of(T* from, std::size_t inner, std::size_t rows, unsigned box_inner,
                   unsigned box_rows, int swizzle,
                   CUtensorMapDataType type = data_type<std::remove_const_t<T>>()) {
  CUtensorMap map;
  const cuuint64_t dims[2] = {inner, rows}, strides[1] = {inner * sizeof(T)};
  const cuuint32_t box[2] = {box_inner, box_rows}, steps[2] = {1, 1};
  const CUtensorMapSwizzle how = swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                 : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                 : swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                 : CU_TENSOR_MAP_SWIZZLE_NONE;
  require(cuTensorMapEncodeTiled(&map, type, 2, const_cast<std::remove_const_t<T>*>(from), dims,
                                 strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, how,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
          "cuTensorMapEncodeTiled");
  return map;
}

/// In clusters of `cluster` blocks.
template <typename Kernel, typename... Arguments>
void launch(Kernel kernel, int blocks, int threads, int memory, unsigned cluster,
            Arguments... arguments) {
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory) ==
              cudaSuccess,
          "shared memory");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = memory;
  config.attrs = &attribute;
  config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, kernel, arguments...) == cudaSuccess, "launch");
}

/// a [m, k] times b [n, k], its second matrix by columns.
inline std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, int m,
                                  int n, int k) {
  std::vector<float> sum(std::size_t(m) * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double one = 0;
      for (int i = 0; i < k; ++i) one += double(a[row * k + i]) * b[column * k + i];
      sum[row * n + column] = float(one);
    }
  return sum;
}

/// Prints the verdict; each number may differ by `bound` times one more than its value.
template <typename T>
int compare(const std::vector<T>& found, const std::vector<float>& expected, double bound) {
  std::size_t wrong = 0;
  double most = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double error =
        std::fabs(double(float(found[k])) - expected[k]) / (1 + std::fabs(expected[k]));
    if (!(error <= bound)) {
      if (wrong++ < 4) std::printf("[%zu] = %g, expected %g\n", k, float(found[k]), expected[k]);
    }
    if (error > most) most = error;
  }
  std::printf("%s: %zu of %zu differ, the most by %g\n", wrong ? "Failed" : "Passed", wrong,
              expected.size(), most);
  return wrong ? 1 : 0;
}

}  // namespace launched
