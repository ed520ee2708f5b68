// The programs that cpu_programs runs, as C++ for one thread of the host.
#pragma once

#include <cstdint>

namespace warpmark::test::native {

void saxpy(float alpha, const float* x, float* y, int n);
/// Square matrices of `n` rows.
void matmul(const float* a, const float* b, float* c, int n);
void histogram(const std::uint8_t* in, std::uint32_t* bins, int n);
/// Running sums of each 256 elements.
void scan(const std::int32_t* in, std::int32_t* out, int n);
void stencil(const float* in, float* out, int n);
void mandelbrot(std::uint8_t* image, int width, int height, int most);
/// The forces on `n` bodies; a body is x, y, z and its mass.
void all_pairs(const float* bodies, float* forces, int n);
void transpose(const float* in, float* out, int side);
float dot(const float* a, const float* b, int n);
void sparse_product(const std::int32_t* begin, const std::int32_t* column, const float* value,
                    const float* x, float* y, int rows);
void black_scholes(const float* price, const float* strike, float* call, int n);
void heat(const float* in, float* out, int side);

}  // namespace warpmark::test::native
