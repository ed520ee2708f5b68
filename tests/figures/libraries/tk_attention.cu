// Attention of ThunderKittens for Hopper, forwards.
#define main main_of_the_kernel
#include "kernels/attention/mha_h100/mha_h100.cu"
#undef main
#include "attention.hpp"
#include "launched.hpp"

int main() {
  constexpr int d = HEAD, heads = 2, length = 384, numbers = heads * length * d;
  launched::Numbers<bf16> q(numbers, 1), k(numbers, 2), v(numbers, 3);
  launched::Result<bf16> o(numbers);
  launched::Result<float> l(heads * length);
  using dims = fwd_attend_ker_tile_dims<d>;
  using globals = fwd_globals<d>;
  decltype(globals::q) qg{q.device, 1, heads, length, d};
  decltype(globals::k) kg{k.device, 1, heads, length, d};
  decltype(globals::v) vg{v.device, 1, heads, length, d};
  decltype(globals::l) lg{l.device, 1, heads, 1, length};
  decltype(globals::o) og{o.device, 1, heads, length, d};
  globals g{qg, kg, vg, lg, og, length, 1};
  const unsigned long memory = kittens::MAX_SHARED_MEMORY - 1024;
  cudaFuncSetAttribute(fwd_attend_ker<d, CAUSAL>, cudaFuncAttributeMaxDynamicSharedMemorySize, memory);
  fwd_attend_ker<d, CAUSAL><<<dim3(length / (CONSUMER_WARPGROUPS * dims::qo_height), heads), 32 * NUM_WORKERS, memory>>>(g);
  const launched::Rows rows{d, length * d};
  return launched::compare(o.fetch(), launched::attention(q.plain, k.plain, v.plain, length, length, heads, d, rows, rows, CAUSAL),
                           0.02);
}
