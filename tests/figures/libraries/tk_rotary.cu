// ThunderKittens' rotary embedding.
#define main main_of_the_kernel
#include "kernels/rotary/rotary.cu"
#undef main
#include "launched.hpp"

int main() {
  constexpr int d = 64, heads = 2, length = 128, half = d / 2;
  using rope = rotary_template<d>;
  using layout = rope::layout;
  launched::Numbers<bf16> x(heads * length * d, 1), cosines(length * half, 2), sines(length * half, 3);
  launched::Result<bf16> o(heads * length * d);
  layout::seq_global og{o.device, 1, heads, length, nullptr}, xg{x.device, 1, heads, length, nullptr};
  layout::rope_global sg{sines.device, nullptr, nullptr, length, nullptr}, cg{cosines.device, nullptr, nullptr, length, nullptr};
  layout::globals g{og, xg, sg, cg, 4};
  const unsigned long memory = kittens::MAX_SHARED_MEMORY - 2048;
  cudaFuncSetAttribute(prototype::lcsf::kernel<rope>, cudaFuncAttributeMaxDynamicSharedMemorySize, memory);
  constexpr int rows = rope::NUM_CONSUMER_WARPS * layout::seq_tile::rows;
  prototype::lcsf::kernel<rope><<<dim3((length + rows - 1) / rows, 1), kittens::prototype::detail::NUM_THREADS_v<rope>, memory>>>(g);
  std::vector<float> expected(heads * length * d);
  for (int row = 0; row < heads * length; ++row)
    for (int k = 0; k < half; ++k) {
      const float c = cosines.plain[row % length * half + k], s = sines.plain[row % length * half + k];
      const float first = x.plain[row * d + k], second = x.plain[row * d + half + k];
      expected[row * d + k] = first * c - second * s;
      expected[row * d + half + k] = second * c + first * s;
    }
  return launched::compare(o.fetch(), expected, 0.02);
}
