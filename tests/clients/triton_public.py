#!/usr/bin/env python3
"""Kernels of Triton of public repositories as suites on the CPU device.

triton_public.py PROGRAM [--only TEXT] [--show] [--table]

WARPMARK_PUBLIC_TRITON names a folder with a checkout of each repository under its own name (`Liger-Kernel`), at the commit
of REPOSITORIES or one whose kernels have the same parameters. 77: skipped, because they or Triton and PyTorch
(tests/support/languages.py) are missing. A checkout that is not there is left out. --table prints the rows of the page.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from fetched import SKIP, skip
from triton_suites import environment_for, find_environment

HERE = pathlib.Path(__file__).resolve().parent
# The commit that was read, and the folder that modules are imported from.
REPOSITORIES = {
    "flash-attention": ("Dao-AILab", "0251105a2fb19d2957484b7f023cd8c115286ced", ""),
    "Liger-Kernel": ("linkedin", "ead96b618e5c67bddc6a6e9bcb99bfe6b5ab661c", "src"),
    "DeepSeek-V3": ("deepseek-ai", "9b4e9788e4a3a731f7567338ed15d3ec549ce03b", ""),
    "megablocks": ("databricks", "78eea65fda01e638af36ae38853bc51efb04a4b4", ""),
    "lightllm": ("ModelTC", "fc72ffab9a3455cfb571f22d45ab777cc29de0de", ""),
}
# A kernel and its suite, in which FILE is the kernel's file. Arguments whose names are a letter and a digit are strides.
SUITES = [
    ("flash-attention", "flash_attn/ops/triton/rotary.py", "rotary_kernel", """
kernel:
  triton: FILE:rotary_kernel
  constexpr: {CU_SEQLENS: '"None"', ROTARY_DIM: 2 * half, IS_SEQLEN_OFFSETS_TENSOR: False, IS_VARLEN: False, INTERLEAVED: interleaved,
    CONJUGATE: conjugate, BLOCK_H: 2, BLOCK_M: 8}
axes: {interleaved: [0, 1], conjugate: [0, 1], positions: [5, 19], half: [12]}
arguments:
  out: {out: [2, positions, 3, 24], dtype: float16}
  x: {in: "rng.standard_normal((2, positions, 3, 24))", dtype: float16}
  cos: {in: "np.cos(rng.uniform(0, 6, (positions, half)))", dtype: float16}
  sin: {in: "np.sin(rng.uniform(0, 6, (positions, half)))", dtype: float16}
  first: {scalar: 0, dtype: int32}
  positions: {scalar: positions, dtype: int32}
  heads: {scalar: 3, dtype: int32}
  angles: {scalar: positions, dtype: int32}
  o0: {scalar: 72 * positions, dtype: int32}
  o1: {scalar: 72, dtype: int32}
  o2: {scalar: 24, dtype: int32}
  o3: {scalar: 1, dtype: int32}
  x0: {scalar: 72 * positions, dtype: int32}
  x1: {scalar: 72, dtype: int32}
  x2: {scalar: 24, dtype: int32}
  x3: {scalar: 1, dtype: int32}
launch: {grid: [2, "ceil_div(positions, 8)", 2]}
reference: {out: {function: "references.py:rotary"}}
tolerance: {ulp: 1, atol: 1e-6}
"""),
    ("flash-attention", "flash_attn/ops/triton/cross_entropy.py", "cross_entropy_fwd_kernel", """
kernel:
  triton: FILE:cross_entropy_fwd_kernel
  constexpr: {BLOCK_SIZE: 128, HAS_SMOOTHING: smooth, SPLIT: False, PRECOMPUTED_LSE: False}
axes: {rows: [1, 6], columns: [50, 300], smooth: [0, 1]}
arguments:
  loss: {out: rows, dtype: float32}
  lse: {out: rows, dtype: float32}
  z_loss: {out: rows, dtype: float32}
  logits: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  labels: {in: "np.where(np.arange(rows) % 4 == 3, -100, rng.integers(0, columns, rows))", dtype: int64}
  smoothing: {scalar: 0.25 * smooth, dtype: float32}
  scale: {scalar: 0.5, dtype: float32}
  square_scale: {scalar: 0.125, dtype: float32}
  ignored: {scalar: -100, dtype: int32}
  classes: {scalar: columns, dtype: int32}
  first: {scalar: 0, dtype: int32}
  columns: {scalar: columns, dtype: int32}
  stride: {scalar: columns, dtype: int32}
launch: {grid: rows}
reference:
  loss: {function: "references.py:fa_loss"}
  lse: {function: "references.py:fa_lse"}
  z_loss: {function: "references.py:fa_z_loss"}
tolerance: {rtol: 1e-5, atol: 1e-6}
"""),
    ("flash-attention", "flash_attn/ops/triton/cross_entropy.py", "cross_entropy_bwd_kernel", """
kernel: {triton: "FILE:cross_entropy_bwd_kernel", constexpr: {BLOCK_SIZE: 128, HAS_SMOOTHING: smooth}}
axes: {rows: [1, 6], columns: [50, 300], smooth: [0, 1]}
arguments:
  dlogits: {out: [rows, columns], dtype: float32}
  dloss: {in: rng.standard_normal(rows), dtype: float32}
  logits: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  lse: {in: {function: "references.py:half_lse"}, dtype: float32}
  labels: {in: "np.where(np.arange(rows) % 4 == 3, -100, rng.integers(0, columns, rows))", dtype: int64}
  smoothing: {scalar: 0.25 * smooth, dtype: float32}
  scale: {scalar: 0.5, dtype: float32}
  square_scale: {scalar: 0.125, dtype: float32}
  ignored: {scalar: -100, dtype: int32}
  classes: {scalar: columns, dtype: int32}
  first: {scalar: 0, dtype: int32}
  columns: {scalar: columns, dtype: int32}
  stride: {scalar: columns, dtype: int32}
  dstride: {scalar: columns, dtype: int32}
  loss_stride: {scalar: 1, dtype: int32}
launch: {grid: [rows, "ceil_div(columns, 128)"]}
reference: {dlogits: {function: "references.py:fa_dlogits"}}
tolerance: {rtol: 1e-5, atol: 1e-6}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/rms_norm.py", "_rms_norm_forward_kernel", """
kernel:
  triton: FILE:_rms_norm_forward_kernel
  constexpr: {casting_mode: 1, elementwise_affine: True, BLOCK_SIZE: block}
  options: [enable_fp_fusion=0]  # else lanes have sums that differ in the last bit, and store them at one place
axes: {rows: [1, 7], columns: [100, 256], block: {zip: columns, values: [128, 256]}}
arguments:
  y: {out: x.shape, dtype: float32}
  y_stride: {scalar: columns, dtype: int32}
  x: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  x_stride: {scalar: columns, dtype: int32}
  w: {in: rng.standard_normal(columns), dtype: float32}
  w_stride: {scalar: 1, dtype: int32}
  inverse: {out: rows, dtype: float32}
  inverse_stride: {scalar: 1, dtype: int32}
  columns: {scalar: columns, dtype: int32}
  epsilon: {scalar: 1e-6, dtype: float32}
  offset: {scalar: 1, dtype: float32}
launch: {grid: rows}
reference:
  y: {function: "references.py:rms_scaled"}
  inverse: {function: "references.py:rms_inverse"}
tolerance: {rtol: 1e-6, atol: 1e-7}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/swiglu.py", "_swiglu_forward_kernel", """
kernel: {triton: "FILE:_swiglu_forward_kernel", constexpr: {n_cols: columns, BLOCK_SIZE: block}}
axes: {rows: [1, 7], columns: [100, 256], block: {zip: columns, values: [128, 256]}}
arguments:
  a: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  b: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  c: {out: a.shape, dtype: float32}
  stride: {scalar: columns, dtype: int32}
  factor: {scalar: 0.5, dtype: float32}
launch: {grid: rows}
reference: {c: {function: "references.py:swiglu"}}
tolerance: {rtol: 2e-6}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/geglu.py", "_geglu_tanh_forward_kernel", """
kernel: {triton: "FILE:_geglu_tanh_forward_kernel", constexpr: {n_cols: columns, BLOCK_SIZE: block}}
axes: {rows: [1, 7], columns: [100, 256], block: {zip: columns, values: [128, 256]}}
arguments:
  a: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  b: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  c: {out: a.shape, dtype: float32}
  stride: {scalar: columns, dtype: int32}
launch: {grid: rows}
reference: {c: {function: "references.py:geglu"}}
tolerance: {rtol: 1e-6, atol: 1e-6}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/rope.py", "_triton_rope", """
kernel:
  triton: FILE:_triton_rope
  constexpr: {bs: 2, cos_bs: 1, n_qh: 3, n_kh: 1, hd: 24, pad_n_qh: 4, pad_n_kh: 1, pad_hd: 32, BLOCK_SIZE: 128, BACKWARD_PASS: False}
axes: {positions: [1, 7]}
arguments:
  q: {inout: "rng.standard_normal((2, positions, 3, 24))", dtype: float32}
  q_stride: {scalar: 72, dtype: int32}
  k: {inout: "rng.standard_normal((2, positions, 1, 24))", dtype: float32}
  k_stride: {scalar: 24, dtype: int32}
  cos: {in: "np.cos(rng.uniform(0, 6, (positions, 24)))", dtype: float32}
  cos_stride: {scalar: 24, dtype: int32}
  sin: {in: "np.sin(rng.uniform(0, 6, (positions, 24)))", dtype: float32}
  sin_stride: {scalar: 24, dtype: int32}
  positions: {scalar: positions, dtype: int32}
launch: {grid: 2 * positions}
reference:
  q: {function: "references.py:rope_q"}
  k: {function: "references.py:rope_k"}
tolerance: {rtol: 1e-6, atol: 1e-6}
allow:
  - {race: q, reason: threads that have an element a second time load it beside the store; what they load is not used}
  - {race: k, reason: as for q}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/cross_entropy.py", "liger_cross_entropy_kernel", """
kernel:
  triton: FILE:liger_cross_entropy_kernel
  constexpr: {weight_ptr: '"None"', z_loss_ptr: '"None"', token_accuracy_ptr: '"None"', predicted_tokens_ptr: '"None"', softcap: '"None"',
    lse_square_scale: 0.125, label_smoothing: 0.25, reduction: '"mean"', RETURN_Z_LOSS: 0, RETURN_TOKEN_ACCURACY: 0,
    RETURN_PREDICTED_TOKENS: 0, BLOCK_SIZE: 128, HAS_WEIGHT: False, HAS_SOFTCAPPING: False, HAS_GRADIENTS: True}
axes: {rows: [3, 6], columns: [50, 300]}
arguments:
  x: {inout: "rng.standard_normal((rows, columns))", dtype: float32}
  x_stride: {scalar: columns, dtype: int32}
  labels: {in: "np.where(np.arange(rows) % 4 == 3, -100, rng.integers(0, columns, rows))", dtype: int64}
  label_stride: {scalar: 1, dtype: int32}
  loss: {inout: np.zeros(rows), dtype: float32}
  loss_stride: {scalar: 1, dtype: int32}
  token_accuracy_stride: {scalar: 0, dtype: int32}
  predicted_stride: {scalar: 0, dtype: int32}
  columns: {scalar: columns, dtype: int32}
  n_valid: {scalar: rows - rows // 4, dtype: int32}
  weights_of_valid: {scalar: 1, dtype: float32}
  weights: {scalar: 1, dtype: float32}
  ignored: {scalar: -100, dtype: int32}
launch: {grid: rows}
reference:
  loss: {function: "references.py:liger_loss"}
  x: {function: "references.py:liger_slopes"}
tolerance: {rtol: 1e-5, atol: 1e-7}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/jsd.py", "_jsd_kernel", """
kernel: {triton: "FILE:_jsd_kernel", constexpr: {beta: 0.25, ignore_index: -100, BLOCK_SIZE: 64, HAS_LABEL: False}}
axes: {rows: [1, 5], columns: [64, 100]}
arguments:
  x: {in: {function: "references.py:log_softmax"}, dtype: float32}
  x_stride: {scalar: columns, dtype: int32}
  y: {in: {function: "references.py:log_softmax"}, dtype: float32}
  y_stride: {scalar: columns, dtype: int32}
  loss: {out: x.shape, dtype: float32}
  loss_stride: {scalar: columns, dtype: int32}
  dx: {out: x.shape, dtype: float32}
  dx_stride: {scalar: columns, dtype: int32}
  labels: {in: "np.zeros(1, np.int64)", dtype: int64}
  n: {scalar: rows, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: rows}
reference:
  loss: {function: "references.py:jsd_loss"}
  dx: {function: "references.py:jsd_dx"}
tolerance: {rtol: 1e-5, atol: 1e-7}
"""),
    ("Liger-Kernel", "src/liger_kernel/ops/sparsemax.py", "_sparsemax_forward_kernel", """
kernel: {triton: "FILE:_sparsemax_forward_kernel", constexpr: {BLOCK_SIZE: block, num_warps: 4}}
axes: {rows: [1, 5], columns: [100, 256], block: {zip: columns, values: [128, 256]}}
arguments:
  x: {in: "rng.standard_normal((rows, columns))", dtype: float32}
  x_stride: {scalar: columns, dtype: int32}
  sorted_x: {in: "-np.sort(-x, axis=1)", dtype: float32}
  sorted_stride: {scalar: columns, dtype: int32}
  out: {out: x.shape, dtype: float32}
  out_stride: {scalar: columns, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: rows}
reference: {out: {function: "references.py:sparsemax"}}
tolerance: {rtol: 1e-6, atol: 1e-6}
"""),
    ("DeepSeek-V3", "inference/kernel.py", "act_quant_kernel", """
kernel: {triton: "FILE:act_quant_kernel", constexpr: {BLOCK_SIZE: 128, scale_fmt: '"None"'}}
axes: {blocks: [1, 9]}
arguments:
  x: {in: rng.standard_normal(128 * blocks), dtype: bfloat16}
  y: {out: x.shape, dtype: float8_e4m3fn}
  scales: {out: blocks, dtype: float32}
launch: {grid: blocks}
reference:
  y: {function: "references.py:quantised"}
  scales: {function: "references.py:block_scales"}
tolerance: {outputs: {y: {ulp: 1}, scales: {ulp: 2}}}
"""),
    ("DeepSeek-V3", "inference/kernel.py", "weight_dequant_kernel", """
kernel: {triton: "FILE:weight_dequant_kernel", constexpr: {BLOCK_SIZE: 32}}
axes: {rows: [32, 70], columns: [64, 50]}
arguments:
  x: {in: "rng.standard_normal((rows, columns))", dtype: float8_e4m3fn}
  scales: {in: "rng.random((-(-rows // 32), -(-columns // 32)))", dtype: float32}
  y: {out: x.shape, dtype: float32}
  rows: {scalar: rows, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: ["ceil_div(rows, 32)", "ceil_div(columns, 32)"]}
reference: {y: {function: "references.py:dequantised"}}
"""),
    ("DeepSeek-V3", "inference/kernel.py", "fp8_gemm_kernel", """
kernel:
  triton: FILE:fp8_gemm_kernel
  constexpr: {N: n, K: k, BLOCK_SIZE_M: 16, BLOCK_SIZE_N: 32, BLOCK_SIZE_K: 128}
  options: [num_warps=8, num_stages=3]
axes: {m: [16, 21], n: [32, 50], k: [128, 192]}
arguments:
  a: {in: "rng.standard_normal((m, k))", dtype: float8_e4m3fn}
  b: {in: "rng.standard_normal((n, k))", dtype: float8_e4m3fn}
  c: {out: [m, n], dtype: float32}
  a_scales: {in: "rng.random((m, -(-k // 128)))", dtype: float32}
  b_scales: {in: "rng.random((-(-n // 128), -(-k // 128)))", dtype: float32}
  m: {scalar: m, dtype: int32}
launch: {grid: ["ceil_div(m, 16)", "ceil_div(n, 32)"]}
reference: {c: {function: "references.py:scaled_product"}}
tolerance: {rtol: 1e-5, atol: 1e-3}
"""),
    ("megablocks", "megablocks/backend/kernels.py", "_padded_copy", """
kernel:
  triton: FILE:_padded_copy
  constexpr: {NUM_COLUMNS: columns, TOP_K: 2, BLOCK_X: 64, A_TO_B: True, SCALE: True}
  options: [num_warps=2]
axes: {columns: [64, 100]}
arguments:
  a: {in: "rng.standard_normal((10, columns))", dtype: float32}
  b: {inout: "np.zeros((24, columns))", dtype: float32}
  indices: {in: {function: "references.py:order"}, dtype: int32}
  bin_ids: {in: "np.repeat([0, 1, 2], [5, 7, 8])", dtype: int32}
  weights: {in: rng.random(20), dtype: float32}
  bins: {in: "np.array([5, 12, 20])", dtype: int32}
  padded_bins: {in: "np.array([8, 16, 24])", dtype: int32}
launch: {grid: 20}
reference: {b: {function: "references.py:padded"}}
"""),
    ("megablocks", "megablocks/backend/kernels.py", "_binned_copy", """
kernel:
  triton: FILE:_binned_copy
  constexpr: {NUM_COLUMNS: columns, TOP_K: 2, BLOCK_X: 64, A_TO_B: True, SCALE: True}
  options: [num_warps=2]
axes: {columns: [64, 100]}
arguments:
  a: {in: "rng.standard_normal((10, columns))", dtype: float32}
  b: {inout: "np.zeros((27, columns))", dtype: float32}
  experts: {scalar: 3, dtype: int32}
  capacity: {scalar: 9, dtype: int32}
  indices: {in: {function: "references.py:order"}, dtype: int32}
  weights: {in: rng.random(20), dtype: float32}
  bins: {in: "np.array([5, 12, 20])", dtype: int32}
launch: {grid: [3, 9]}
reference: {b: {function: "references.py:binned"}}
"""),
    ("lightllm", "lightllm/models/llama/triton_kernel/rmsnorm.py", "_rms_norm_fwd_fused", """
kernel: {triton: "FILE:_rms_norm_fwd_fused", constexpr: {BLOCK_SIZE: 128}}
axes: {rows: [1, 7], columns: [100, 300]}
arguments:
  x: {in: "rng.standard_normal((rows, columns))", dtype: float16}
  y: {out: x.shape, dtype: float16}
  w: {in: rng.standard_normal(columns), dtype: float16}
  x0: {scalar: columns, dtype: int32}
  x1: {scalar: 1, dtype: int32}
  y0: {scalar: columns, dtype: int32}
  y1: {scalar: 1, dtype: int32}
  columns: {scalar: columns, dtype: int32}
  epsilon: {scalar: 1e-5, dtype: float32}
launch: {grid: rows}
reference: {y: {function: "references.py:rms_times"}}
tolerance: {ulp: 1}
"""),
    ("lightllm", "lightllm/models/llama/triton_kernel/silu_and_mul.py", "_silu_and_mul_kernel", """
kernel: {triton: "FILE:_silu_and_mul_kernel", constexpr: {BLOCK_M: 16, BLOCK_N: 32}}
axes: {rows: [1, 20], columns: [32, 50]}
arguments:
  x: {in: "rng.standard_normal((rows, 2 * columns))", dtype: float16}
  out: {out: [rows, columns], dtype: float16}
  x0: {scalar: 2 * columns, dtype: int32}
  x1: {scalar: 1, dtype: int32}
  o0: {scalar: columns, dtype: int32}
  o1: {scalar: 1, dtype: int32}
  rows: {scalar: rows, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: ["ceil_div(rows, 16)", "ceil_div(columns, 32)"]}
reference: {out: {function: "references.py:silu_times"}}
tolerance: {ulp: 2}
"""),
    ("lightllm", "lightllm/models/llama/triton_kernel/flash_decoding_stage2.py", "_fwd_kernel_flash_decode_stage2", """
kernel:
  triton: FILE:_fwd_kernel_flash_decode_stage2
  constexpr: {BLOCK_SEQ: 16, BLOCK_DMODEL: 64}
  options: [num_warps=4, num_stages=2]
axes: {heads: [1, 3]}
arguments:
  lengths: {in: "np.array([1, 16, 40])", dtype: int32}
  mid: {in: "rng.standard_normal((3, heads, 3, 64))", dtype: float32}
  logsums: {in: "rng.standard_normal((3, heads, 3))", dtype: float32}
  out: {out: [3, heads, 64], dtype: float16}
  m0: {scalar: 192 * heads, dtype: int32}
  m1: {scalar: 192, dtype: int32}
  m2: {scalar: 64, dtype: int32}
  m3: {scalar: 1, dtype: int32}
  l0: {scalar: 3 * heads, dtype: int32}
  l1: {scalar: 3, dtype: int32}
  l2: {scalar: 1, dtype: int32}
  o0: {scalar: 64 * heads, dtype: int32}
  o1: {scalar: 64, dtype: int32}
  o2: {scalar: 1, dtype: int32}
launch: {grid: [3, heads]}
reference: {out: {function: "references.py:joined"}}
tolerance: {ulp: 1, atol: 1e-6}
"""),
    ("lightllm", "lightllm/common/basemodel/triton_kernel/destindex_copy_kv.py", "_fwd_kernel_destindex_copy_kv", """
kernel:
  triton: FILE:_fwd_kernel_destindex_copy_kv
  constexpr: {BLOCK_DMODEL: 32, BLOCK_HEAD: 4}
  options: [num_warps=1, num_stages=1]
axes: {heads: [3, 4]}
arguments:
  k: {in: "rng.standard_normal((6, heads, 32))", dtype: float16}
  places: {in: "rng.permutation(10)[:6]", dtype: int32}
  out: {inout: "np.zeros((10, heads, 32))", dtype: float16}
  k0: {scalar: 32 * heads, dtype: int32}
  k1: {scalar: 32, dtype: int32}
  k2: {scalar: 1, dtype: int32}
  o0: {scalar: 32 * heads, dtype: int32}
  o1: {scalar: 32, dtype: int32}
  o2: {scalar: 1, dtype: int32}
  heads: {scalar: heads, dtype: int32}
launch: {grid: 6}
reference: {out: {function: "references.py:scattered"}}
"""),
    ("lightllm", "lightllm/common/fused_moe/softmax_topk.py", "softmax_topk_kernel", """
kernel:
  triton: FILE:softmax_topk_kernel
  constexpr: {BLOCK_SIZE: block, BLOCK_TOPK: 8, top_k: 6, NEED_MASK: True, RENORM: False}
  options: [num_warps=2]
axes: {columns: [60, 500], block: {zip: columns, values: [64, 512]}}
arguments:
  weights: {out: [5, 6], dtype: float32}
  indices: {out: [5, 6], dtype: int32}
  x: {in: "rng.standard_normal((5, columns))", dtype: float32}
  x_stride: {scalar: columns, dtype: int32}
  w_stride: {scalar: 6, dtype: int32}
  i_stride: {scalar: 6, dtype: int32}
  rows: {scalar: 5, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: 5}
reference:
  weights: {function: "references.py:best_shares"}
  indices: "np.argsort(-x, axis=1)[:, :6]"
tolerance: {rtol: 1e-5}
"""),
    ("lightllm", "lightllm/common/fused_moe/softmax_topk.py", "softmax_topk_kernel", """
kernel:
  triton: FILE:softmax_topk_kernel
  constexpr: {BLOCK_SIZE: block, BLOCK_TOPK: 8, top_k: 6, NEED_MASK: True, RENORM: True}
  options: [num_warps=2]
axes: {columns: [60, 500], block: {zip: columns, values: [64, 512]}}
arguments:
  weights: {out: [5, 6], dtype: float32}
  indices: {out: [5, 6], dtype: int32}
  x: {in: "rng.standard_normal((5, columns))", dtype: float32}
  x_stride: {scalar: columns, dtype: int32}
  w_stride: {scalar: 6, dtype: int32}
  i_stride: {scalar: 6, dtype: int32}
  rows: {scalar: 5, dtype: int32}
  columns: {scalar: columns, dtype: int32}
launch: {grid: 5}
reference: {indices: "np.argsort(-x, axis=1)[:, :6]"}
check: {written: weights}
expect: {report: race, argument: weights}  # true: lanes load what thread 0 has stored, with no barrier in between
"""),
    ("lightllm", "lightllm/models/llama/triton_kernel/context_flashattention_nopad.py", "_fwd_kernel", """
kernel:
  triton: FILE:_fwd_kernel
  constexpr: {H: 4, BLOCK_DMODEL: 32, BLOCK_M: 64, BLOCK_N: 64}
  options: [num_warps=4, num_stages=1]
axes: {cached: [0, 8]}
arguments:
  q: {in: "rng.standard_normal((90, 4, 32))", dtype: float16}
  k: {in: "rng.standard_normal((200, 2, 32))", dtype: float16}
  v: {in: "rng.standard_normal((200, 2, 32))", dtype: float16}
  scale: {scalar: 1.4426950408889634 * 32**-0.5, dtype: float32}
  out: {out: q.shape, dtype: float16}
  starts: {in: "np.array([0, 20])", dtype: int32}
  lengths: {in: "np.array([20, 70]) + cached", dtype: int32}
  places: {in: "rng.permutation(200)[:160].reshape(2, 80)", dtype: int32}
  requests: {in: "np.array([1, 0])", dtype: int32}
  q0: {scalar: 128, dtype: int32}
  q1: {scalar: 32, dtype: int32}
  q2: {scalar: 1, dtype: int32}
  k0: {scalar: 64, dtype: int32}
  k1: {scalar: 32, dtype: int32}
  k2: {scalar: 1, dtype: int32}
  v0: {scalar: 64, dtype: int32}
  v1: {scalar: 32, dtype: int32}
  v2: {scalar: 1, dtype: int32}
  o0: {scalar: 128, dtype: int32}
  o1: {scalar: 32, dtype: int32}
  o2: {scalar: 1, dtype: int32}
  r0: {scalar: 80, dtype: int32}
  r1: {scalar: 1, dtype: int32}
  group: {scalar: 2, dtype: int32}
  cached_lengths: {in: "np.full(2, cached)", dtype: int32}
launch: {grid: [2, 8]}
reference: {out: {function: "references.py:attention"}}
tolerance: {rtol: 2**-10, atol: 2**-8}
"""),
]


def check(program, environment, root, suite, folder):
    """The exit code and output of `check` for a row of SUITES."""
    repository, file, _, text = suite
    (folder / "suite.yaml").write_text("warpmark: 1" + text.replace("FILE", "%s/%s" % (repository, file)))
    owner = root / repository / REPOSITORIES[repository][2]
    done = subprocess.run([program, "check", "suite.yaml", "--device", "cpu"], cwd=folder, capture_output=True, text=True,
                          check=False, env={**environment, "PYTHONPATH": str(owner)})
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default="", help="part of a repository's or kernel's name")
    parser.add_argument("--show", action="store_true", help="print what the program says")
    parser.add_argument("--table", action="store_true", help="print the rows of docs/results")
    options = parser.parse_args()
    if not os.environ.get("WARPMARK_PUBLIC_TRITON"):
        skip("WARPMARK_PUBLIC_TRITON names no folder of checkouts")
    root = pathlib.Path(os.environ["WARPMARK_PUBLIC_TRITON"]).resolve()
    virtual = find_environment()
    run = failed = 0
    for suite in SUITES:
        repository, file, kernel, text = suite
        if options.only not in repository + ":" + kernel:
            continue
        path = root / repository / file
        if not path.exists():
            print("not there: %s" % path)
            continue
        with tempfile.TemporaryDirectory(prefix="warpmark-triton-") as holder:
            folder = pathlib.Path(holder)
            shutil.copy(HERE / "triton_public_references.py", folder / "references.py")
            os.symlink(root / repository, folder / repository)
            code, said = check(options.program.resolve(), environment_for(virtual, folder), root, suite, folder)
        run += 1
        failed += code != 0
        found = re.search(r"(?m)^(\d+ passed.*?) in [\d.]+ ", said)
        result = found.group(1) if found else "exit code %d" % code
        result += ", a race is found" if code == 0 and "expect: {report: race" in text else ""
        line = path.read_text().split("def %s(" % kernel)[0].count("\n") + 1
        if options.table:
            owner, commit, _ = REPOSITORIES[repository]
            print("| %s/%s | `%s` | %s:%d | `%s` | %s |" % (owner, repository, commit[:12], file, line, kernel, result))
        else:
            print("%s %s: %s: %s" % ("FAILED" if code else "ok    ", repository, kernel, result), flush=True)
        if options.show or code:
            print(said)
    print("%d kernels run, %d failed" % (run, failed))
    return SKIP if not run else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
