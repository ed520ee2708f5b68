// DeepGEMM's sum of products over a batch for Hopper: blocks add their parts by atomic operations.
#include <deep_gemm/impls/sm90_bmk_bnk_mn.cuh>

#include "launched.hpp"

int main() {
  constexpr int batch = 3, m = 128, n = 128, k = 128, kBlockK = 64, kStages = 3, kSplit = 2;
  launched::Numbers<__nv_bfloat16> a(batch * m * k, 1), b(batch * n * k, 2);
  launched::Result<float> d(m * n);
  d.zero();
  const CUtensorMap map_a = launched::map_of(a.device, k, batch * m, kBlockK, 128, 128),
                    map_b = launched::map_of(b.device, k, batch * n, kBlockK, 128, 128);
  const auto kernel = deep_gemm::sm90_bmn_bnk_mn_gemm_impl<m, n, k, 128, 128, kBlockK, kSplit, kStages, 128, 256>;
  const int memory = kStages * (2 * 128 * kBlockK * 2 + 16);
  launched::launch(kernel, batch * k / kBlockK / kSplit, 384, memory, 1, unsigned(batch), map_a, map_b, d.device);
  std::vector<float> expected(m * n);
  for (int s = 0; s < batch; ++s) {
    const auto part = [&](const std::vector<float>& all, int rows) {
      return std::vector<float>(all.begin() + s * rows * k, all.begin() + (s + 1) * rows * k);
    };
    const std::vector<float> sum = launched::product(part(a.plain, m), part(b.plain, n), m, n, k);
    for (int i = 0; i < m * n; ++i) expected[i] += sum[i];
  }
  return launched::compare(d.fetch(), expected, 1e-4);
}
