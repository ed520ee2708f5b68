// FlashInfer's attention of one new row to all keys.
#include <flashinfer/attention/decode.cuh>
#include <flashinfer/attention/default_decode_params.cuh>
#include <flashinfer/attention/variants.cuh>

#include "attention.hpp"
#include "launched.hpp"

int main() {
  constexpr int d = 128, heads = 4, keys = 200;
  launched::Numbers<__half> q(heads * d, 1), k(keys * heads * d, 2), v(keys * heads * d, 3);
  launched::Result<__half> o(heads * d), parts(1 << 20);
  using Params = flashinfer::SingleDecodeParams<__half, __half, __half>;
  Params params(q.device, k.device, v.device, o.device, nullptr, keys, heads, heads, flashinfer::QKVLayout::kNHD, d, -1, 0,
                1 / std::sqrt(float(d)), 1, 1e4f);
  launched::require(flashinfer::SingleDecodeWithKVCacheDispatched<d, flashinfer::PosEncodingMode::kNone,
                                                                  flashinfer::DefaultAttention<false, false, false, false>>(
                        params, parts.device, nullptr) == cudaSuccess, "SingleDecode");
  const launched::Rows rows{heads * d, d};
  return launched::compare(o.fetch(), launched::attention(q.plain, k.plain, v.plain, 1, keys, heads, d, rows, rows, false), 0.01);
}
