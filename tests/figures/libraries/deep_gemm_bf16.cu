// DeepGEMM's product of bfloat16 matrices for Hopper, by one block or by two of a cluster (CLUSTER).
#include <deep_gemm/impls/sm90_bf16_gemm.cuh>

#include "launched.hpp"

int main() {
  constexpr int m = 256, n = 256, k = 192, kBlock = 128, kBlockK = 64, kStages = 3, kBlocks = 2 * CLUSTER;
  launched::Numbers<__nv_bfloat16> a(m * k, 1), b(n * k, 2);
  launched::Result<__nv_bfloat16> d(m * n);
  const CUtensorMap map_a = launched::map_of(a.device, k, m, 64, kBlock, 128), map_b = launched::map_of(b.device, k, n, 64, kBlock, 128),
                    map_d = launched::map_of(d.device, n, m, 64, kBlock, 128);
  const auto kernel =
      deep_gemm::sm90_bf16_gemm_impl<cute::UMMA::Major::K, cute::UMMA::Major::K, 0, n, k, 1, kBlock, kBlock, kBlockK, 128, 128, 128, kStages,
                                     128, 256, CLUSTER, false, kBlocks, deep_gemm::GemmType::Normal, false, cutlass::bfloat16_t>;
  const int memory = kBlock * kBlock * 2 + kStages * (2 * kBlock * kBlockK * 2 + 16);
  launched::launch(kernel, kBlocks, 384, memory, CLUSTER, static_cast<int*>(nullptr), unsigned(m), unsigned(n), unsigned(k), map_a, map_b,
                   map_d);
  return launched::compare(d.fetch(), launched::product(a.plain, b.plain, m, n, k), 0.01);
}
