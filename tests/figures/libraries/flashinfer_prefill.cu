// FlashInfer's attention of many rows, with mma.
#include <flashinfer/attention/default_prefill_params.cuh>
#include <flashinfer/attention/prefill.cuh>
#include <flashinfer/attention/variants.cuh>

#include "attention.hpp"
#include "launched.hpp"

int main() {
  constexpr int d = 64, heads = 2, length = 128;
  launched::Numbers<__half> q(length * heads * d, 1), k(length * heads * d, 2), v(length * heads * d, 3);
  launched::Result<__half> o(length * heads * d), parts(1 << 20);
  using Params = flashinfer::SinglePrefillParams<__half, __half, __half>;
  Params params(q.device, k.device, v.device, nullptr, o.device, nullptr, nullptr, heads, heads, length, length, heads * d, d, heads * d, d, d, -1,
                0, 1 / std::sqrt(float(d)), 1, 1e4f);
  launched::require(flashinfer::SinglePrefillWithKVCacheDispatched<d, d, flashinfer::PosEncodingMode::kNone, false, flashinfer::MaskMode::kCausal,
                                                                   flashinfer::DefaultAttention<false, false, false, false>>(
                        params, parts.device, nullptr) == cudaSuccess, "SinglePrefill");
  const launched::Rows rows{heads * d, d};
  return launched::compare(o.fetch(), launched::attention(q.plain, k.plain, v.plain, length, length, heads, d, rows, rows, true), 0.01);
}
