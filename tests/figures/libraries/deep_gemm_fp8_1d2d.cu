// DeepGEMM's product of fp8 matrices for Hopper with a scale for 128 numbers of a row of a, and for 128 times 128 of b.
#include <deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh>

#include "launched.hpp"

int main() {
  constexpr int m = 128, n = 256, k = 384, kBlock = 128, kStages = 3, kBlocks = 2;
  launched::Numbers<__nv_fp8_e4m3> a(m * k, 1), b(n * k, 2);
  launched::Numbers<float> scale_a(m * k / 128, 3), scale_b(n / 128 * k / 128, 4);
  launched::Result<__nv_bfloat16> d(m * n);
  const CUtensorMap map_a = launched::map_of(a.device, k, m, 128, kBlock, 128), map_b = launched::map_of(b.device, k, n, 128, kBlock, 128),
                    map_d = launched::map_of(d.device, n, m, 64, kBlock, 128),
                    map_scale = launched::map_of(scale_a.device, m, k / 128, kBlock, 1, 0);
  const auto kernel = deep_gemm::sm90_fp8_gemm_1d2d_impl<cute::UMMA::Major::K, 0, n, k, 1, kBlock, kBlock, 128, 128, 128, 128, kStages, 128,
                                                         256, 1, false, kBlocks, deep_gemm::GemmType::Normal, cutlass::bfloat16_t,
                                                         deep_gemm::epilogue::transform::EpilogueIdentity>;
  const int memory = kBlock * kBlock * 2 + kStages * (2 * kBlock * 128 + kBlock * 4 + 16) + 16 * (k / 128);
  launched::launch(kernel, kBlocks, 384, memory, 1, scale_b.device, static_cast<int*>(nullptr), unsigned(m), unsigned(n), unsigned(k), map_a,
                   map_b, map_d, map_scale);
  std::vector<float> expected(m * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      for (int i = 0; i < k; ++i)
        expected[row * n + column] += a.plain[row * k + i] * b.plain[column * k + i] * scale_a.plain[i / 128 * m + row] *
                                      scale_b.plain[column / 128 * (k / 128) + i / 128];
  return launched::compare(d.fetch(), expected, 0.02);
}
