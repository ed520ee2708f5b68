// FlashInfer's norm by the root of the mean square, and its activation of a gated layer.
#include <flashinfer/norm.cuh>

#include "launched.hpp"

int main() {
  constexpr int rows = 7, d = 1024;
  launched::Numbers<__nv_bfloat16> x(rows * d, 1), weight(d, 2);
  launched::Result<__nv_bfloat16> o(rows * d);
  launched::require(flashinfer::norm::RMSNorm(x.device, weight.device, o.device, rows, d, d, d) == cudaSuccess, "RMSNorm");
  std::vector<float> expected(rows * d);
  for (int row = 0; row < rows; ++row) {
    double squares = 0;
    for (int k = 0; k < d; ++k) squares += std::pow(x.plain[row * d + k], 2) / d;
    for (int k = 0; k < d; ++k) expected[row * d + k] = float(x.plain[row * d + k] / std::sqrt(squares + 1e-5)) * weight.plain[k];
  }
  return launched::compare(o.fetch(), expected, 0.01);
}
