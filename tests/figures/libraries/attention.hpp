// Attention by its definition, in double precision.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace launched {

/// Numbers in a matrix of rows and heads: where a row of a head begins.
struct Rows {
  std::size_t row, head;
};

/// q [rows, heads, d], k and v [keys, heads, d], each with its strides; with `causal` row i sees the keys up to i + keys - rows.
inline std::vector<float> attention(const std::vector<float>& q, const std::vector<float>& k,
                                    const std::vector<float>& v, int rows, int keys, int heads,
                                    int d, Rows of_q, Rows of_k, bool causal) {
  std::vector<float> result(q.size());
  for (int head = 0; head < heads; ++head)
    for (int i = 0; i < rows; ++i) {
      const float* const own = &q[i * of_q.row + head * of_q.head];
      std::vector<double> weight(causal ? i + 1 + keys - rows : keys);
      double sum = 0;
      for (std::size_t j = 0; j < weight.size(); ++j) {
        for (int x = 0; x < d; ++x)
          weight[j] += double(own[x]) * k[j * of_k.row + head * of_k.head + x];
        sum += weight[j] = std::exp(weight[j] / std::sqrt(double(d)));
      }
      for (int x = 0; x < d; ++x) {
        double value = 0;
        for (std::size_t j = 0; j < weight.size(); ++j)
          value += weight[j] * v[j * of_k.row + head * of_k.head + x];
        result[i * of_q.row + head * of_q.head + x] = float(value / sum);
      }
    }
  return result;
}

}  // namespace launched
