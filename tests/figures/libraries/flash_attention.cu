// FlashAttention 3 for Hopper, forwards.
#include "flash_fwd_launch_template.h"

#include "attention.hpp"
#include "launched.hpp"

void prepare_varlen_num_blocks(Flash_fwd_params&, cudaStream_t, bool, int, int, bool) {}

int main() {
  constexpr int d = HEAD, heads = 2, length = 256, numbers = heads * length * d;
  launched::Numbers<cutlass::bfloat16_t> q(numbers, 1), k(numbers, 2), v(numbers, 3);
  launched::Result<cutlass::bfloat16_t> o(numbers);
  launched::Result<float> sums(heads * length);
  launched::Result<int> tiles(4);
  tiles.zero();
  Flash_fwd_params params{};
  params.q_ptr = q.device, params.k_ptr = k.device, params.v_ptr = v.device, params.o_ptr = o.device;
  params.q_batch_stride = params.k_batch_stride = params.v_batch_stride = params.o_batch_stride = numbers;
  params.q_row_stride = params.k_row_stride = params.v_row_stride = params.o_row_stride = heads * d;
  params.q_head_stride = params.k_head_stride = params.v_head_stride = params.o_head_stride = d;
  params.v_dim_stride = 1;
  params.softmax_lse_ptr = sums.device;
  params.h = params.h_k = heads;
  params.b = params.b_k = 1;
  params.seqlen_q = params.seqlen_k = params.total_q = params.total_k = length;
  params.d = params.d_rounded = params.dv = params.dv_rounded = d;
  params.scale_softmax = 1 / std::sqrt(float(d));
  params.window_size_left = params.window_size_right = -1;
  params.is_bf16 = true;
  params.is_causal = CAUSAL;
  params.num_splits = 1;
  params.tile_count_semaphore = tiles.device;
  params.arch = 90;
  params.num_sm = 4;
  run_flash_fwd<90, d, d, CLUSTER, cutlass::bfloat16_t, cutlass::bfloat16_t, CAUSAL, false, false, false, false, false, false, false, false,
                false>(params, nullptr);
  const launched::Rows rows{heads * d, d};
  return launched::compare(o.fetch(), launched::attention(q.plain, k.plain, v.plain, length, length, heads, d, rows, rows, CAUSAL), 0.02);
}
