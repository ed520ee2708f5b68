// ThunderKittens' layer norm of a sum: what is added up, and its norm.
#define main main_of_the_kernel
#include "kernels/layernorm/layernorm.cu"
#undef main
#include "launched.hpp"

int main() {
  constexpr int rows = 16, d = 1024;
  launched::Numbers<bf16> x(rows * d, 1), more(rows * d, 2), weight(d, 3), bias(d, 4);
  launched::Result<bf16> o(rows * d), sums(rows * d);
  dispatch_layernorm(x.device, more.device, weight.device, bias.device, o.device, sums.device, 0, 1, rows);
  std::vector<float> expected(rows * d);
  for (int row = 0; row < rows; ++row) {
    double mean = 0, squares = 0;
    for (int k = row * d; k < (row + 1) * d; ++k) mean += (x.plain[k] + more.plain[k]) / d;
    for (int k = row * d; k < (row + 1) * d; ++k) squares += std::pow(x.plain[k] + more.plain[k] - mean, 2) / d;
    for (int k = 0; k < d; ++k)
      expected[row * d + k] =
          float((x.plain[row * d + k] + more.plain[row * d + k] - mean) / std::sqrt(squares + 1e-5)) * weight.plain[k] + bias.plain[k];
  }
  return launched::compare(o.fetch(), expected, 0.03);
}
