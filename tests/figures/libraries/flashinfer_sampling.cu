// FlashInfer's softmax of rows, by which it samples.
#include <flashinfer/sampling.cuh>

#include "launched.hpp"

int main() {
  constexpr int rows = 3, d = 4000;
  launched::Numbers<float> logits(rows * d, 1, 4);
  launched::Result<float> o(rows * d);
  launched::Result<char> workspace(1 << 20);
  launched::require(flashinfer::sampling::OnlineSoftmax<float>(logits.device, o.device, rows, d, nullptr, 1.0f, workspace.device, 1 << 20, false) ==
                        cudaSuccess, "OnlineSoftmax");
  std::vector<float> expected(rows * d);
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int k = 0; k < d; ++k) sum += std::exp(double(logits.plain[row * d + k]));
    for (int k = 0; k < d; ++k) expected[row * d + k] = float(std::exp(double(logits.plain[row * d + k])) / sum);
  }
  return launched::compare(o.fetch(), expected, 1e-6);
}
