// DeepGEMM's product of fp8 matrices for Hopper that is added to d, with a scale for 128 numbers of a row of a and of b.
#include <deep_gemm/impls/sm90_fp8_gemm_1d1d.cuh>

#include "launched.hpp"

int main() {
  constexpr int m = 128, n = 128, k = 256, kBlock = 128, kStages = 2;
  launched::Numbers<__nv_fp8_e4m3> a(m * k, 1), b(n * k, 2);
  launched::Numbers<float> scale_a(m * k / 128, 3), scale_b(n * k / 128, 4);
  launched::Result<float> d(m * n);
  d.zero();
  const CUtensorMap map_a = launched::map_of(a.device, k, m, 128, kBlock, 128), map_b = launched::map_of(b.device, k, n, 128, kBlock, 128),
                    map_d = launched::map_of(d.device, n, m, kBlock, kBlock / 2, 0),
                    map_scale_a = launched::map_of(scale_a.device, m, k / 128, kBlock, 1, 0),
                    map_scale_b = launched::map_of(scale_b.device, n, k / 128, kBlock, 1, 0);
  const auto kernel = deep_gemm::sm90_fp8_gemm_1d1d_impl<0, n, k, 1, kBlock, kBlock, 128, 128, 128, kStages, 128, 256, 1, false, 1,
                                                         deep_gemm::GemmType::Normal, float>;
  const int memory = kBlock * kBlock * 4 + kStages * (2 * kBlock * 128 + 2 * kBlock * 4 + 16);
  launched::launch(kernel, 1, 384, memory, 1, a.device, b.device, static_cast<int*>(nullptr), static_cast<CUtensorMap*>(nullptr), unsigned(m),
                   unsigned(n), unsigned(k), map_a, map_b, map_scale_a, map_scale_b, map_d);
  std::vector<float> expected(m * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      for (int i = 0; i < k; ++i)
        expected[row * n + column] +=
            a.plain[row * k + i] * b.plain[column * k + i] * scale_a.plain[i / 128 * m + row] * scale_b.plain[i / 128 * n + column];
  return launched::compare(d.fetch(), expected, 0.02);
}
