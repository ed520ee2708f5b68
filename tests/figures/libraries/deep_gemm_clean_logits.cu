// DeepGEMM's kernel that puts minus infinity, in bulk, where a row's keys have ended.
#include <deep_gemm/impls/smxx_clean_logits.cuh>

#include "launched.hpp"

int main() {
  constexpr int rows = 12, keys = 1000, stride = 1024, kBlock = 256, kWarps = 4;
  launched::Numbers<float> logits(rows * stride, 1);
  std::vector<unsigned> first(rows), last(rows);
  for (int row = 0; row < rows; ++row) first[row] = 37 * row, last[row] = 300 + 51 * row;
  launched::Result<unsigned> from(rows), to(rows);
  cudaMemcpy(from.device, first.data(), rows * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(to.device, last.data(), rows * 4, cudaMemcpyHostToDevice);
  launched::launch(deep_gemm::smxx_clean_logits<1, kBlock, kWarps, float>, 2, kWarps * 32, kBlock * 4, 1, unsigned(rows), unsigned(keys),
                   std::uint64_t(stride), static_cast<const unsigned*>(from.device), static_cast<const unsigned*>(to.device), logits.device);
  cudaDeviceSynchronize();
  std::vector<float> found(rows * stride);
  cudaMemcpy(found.data(), logits.device, found.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int row = 0; row < rows; ++row)
    for (unsigned k = 0; k < keys; ++k) {
      const bool kept = k >= first[row] && k < last[row];
      wrong += kept ? found[row * stride + k] != logits.plain[row * stride + k] : !(found[row * stride + k] < -1e30f);
    }
  std::printf("%s: %d are wrong\n", wrong ? "Failed" : "Passed", wrong);
  return wrong ? 1 : 0;
}
