// Compiled with -O3 -march=native -ffast-math, as somebody would who wants them fast: straight loops
// that vectorise.
#include "device/machine/native_programs.hpp"

#include <algorithm>
#include <cmath>

namespace warpmark::test::native {

void saxpy(float alpha, const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] += alpha * x[i];
}

void matmul(const float* a, const float* b, float* c, int n) {
  for (int row = 0; row < n; ++row) {
    float* sums = c + row * n;
    std::fill_n(sums, n, 0.0f);
    for (int k = 0; k < n; ++k) {
      const float factor = a[row * n + k];
      for (int column = 0; column < n; ++column) sums[column] += factor * b[k * n + column];
    }
  }
}

void histogram(const std::uint8_t* in, std::uint32_t* bins, int n) {
  for (int i = 0; i < n; ++i) ++bins[in[i]];
}

void scan(const std::int32_t* in, std::int32_t* out, int n) {
  for (int first = 0; first < n; first += 256) {
    std::int32_t sum = 0;
    for (int i = first; i < first + 256; ++i) out[i] = sum += in[i];
  }
}

void stencil(const float* in, float* out, int n) {
  const auto at = [&](int i) { return i < 0 || i >= n ? 0.0f : in[i]; };
  const auto one = [&](int i, auto value) {
    float sum = 0;
    for (int o = -3; o <= 3; ++o) sum += value(i + o) * static_cast<float>(o + 4);
    out[i] = sum;
  };
  for (int i = 0; i < 3; ++i) one(i, at);
  for (int i = 3; i < n - 3; ++i) one(i, [&](int k) { return in[k]; });
  for (int i = n - 3; i < n; ++i) one(i, at);
}

void mandelbrot(std::uint8_t* image, int width, int height, int most) {
  for (int py = 0; py < height; ++py) {
    for (int px = 0; px < width; ++px) {
      const float cx = -2.0f + static_cast<float>(px) * 3.0f / static_cast<float>(width);
      const float cy = -1.5f + static_cast<float>(py) * 3.0f / static_cast<float>(height);
      float x = 0, y = 0;
      int i = 0;
      for (; x * x + y * y < 4.0f && i < most; ++i) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
      }
      image[py * width + px] = static_cast<std::uint8_t>(i);
    }
  }
}

void all_pairs(const float* bodies, float* forces, int n) {
  for (int i = 0; i < n; ++i) {
    const float* own = bodies + 4 * i;
    float sum[3] = {};
    for (int j = 0; j < n; ++j) {
      const float* other = bodies + 4 * j;
      const float x = other[0] - own[0], y = other[1] - own[1], z = other[2] - own[2];
      const float one = 1 / std::sqrt(x * x + y * y + z * z + 0.01f);
      const float scale = other[3] * one * one * one;
      sum[0] += x * scale;
      sum[1] += y * scale;
      sum[2] += z * scale;
    }
    std::copy_n(sum, 3, forces + 4 * i);
    forces[4 * i + 3] = 0;
  }
}

void transpose(const float* in, float* out, int side) {
  constexpr int kTile = 32;
  for (int y = 0; y < side; y += kTile) {
    for (int x = 0; x < side; x += kTile) {
      for (int row = y; row < y + kTile; ++row) {
        for (int column = x; column < x + kTile; ++column)
          out[column * side + row] = in[row * side + column];
      }
    }
  }
}

float dot(const float* a, const float* b, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void sparse_product(const std::int32_t* begin, const std::int32_t* column, const float* value,
                    const float* x, float* y, int rows) {
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int k = begin[row]; k < begin[row + 1]; ++k) sum += value[k] * x[column[k]];
    y[row] = sum;
  }
}

namespace {
float normal(float d) {
  const float k = 1 / (1 + 0.2316419f * std::fabs(d));
  const float sum =
      k * (0.3193815f + k * (-0.3565638f + k * (1.781478f + k * (-1.821256f + k * 1.330274f))));
  const float tail = 0.3989423f * std::exp(-0.5f * d * d) * sum;
  return d > 0 ? 1 - tail : tail;
}
}  // namespace

void black_scholes(const float* price, const float* strike, float* call, int n) {
  constexpr float kYears = 1.5f, kRate = 0.02f, kVolatility = 0.3f;
  const float root = kVolatility * std::sqrt(kYears), discount = std::exp(-kRate * kYears);
  for (int i = 0; i < n; ++i) {
    const float s = 10 + 20 * price[i], x = 10 + 20 * strike[i];
    const float d = (std::log(s / x) + (kRate + 0.5f * kVolatility * kVolatility) * kYears) / root;
    call[i] = s * normal(d) - x * discount * normal(d - root);
  }
}

void heat(const float* in, float* out, int side) {
  for (int y = 1; y < side - 1; ++y) {
    for (int x = 1; x < side - 1; ++x) {
      const int at = y * side + x;
      out[at] =
          in[at] + 0.2f * (in[at - 1] + in[at + 1] + in[at - side] + in[at + side] - 4 * in[at]);
    }
  }
}

}  // namespace warpmark::test::native
