#!/usr/bin/env python3
"""Judges right candidates in odd styles: none may lose.

    tests/figures/odd_styles.py [PROGRAM] [--jobs 2] [--part I/N] [--task NAME] [--device cpu] [--json RECORD] [--keep FOLDER]

Generic lambdas are not among them, which NVRTC does not take in a kernel. Each style is a way to write a kernel that is right: loops, vectors, macros, lambdas, inline assembly, libraries, PTX. It is written for
each task: functions of an element in four types, and sums of blocks in three. The command fails if a verdict is not `right`.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import figures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

ELEMENTS = """warpmark: 1
kernel: {file: k.cu, entry: k}
axes: {n: [1, 129, 1000]}
arguments:
  y: {out: n, dtype: %(dtype)s}
  x: {in: %(values)s, dtype: %(dtype)s}
  n: {scalar: n, dtype: int32}
launch: {block: 64, grid: "ceil_div(n, 64)"}
reference: {y: "%(reference)s"}
tolerance: exact
"""
SUMS = """warpmark: 1
kernel: {file: k.cu, entry: k}
axes: {n: [64, 640]}
arguments:
  y: {out: n // 64, dtype: %(dtype)s}
  x: {in: %(values)s, dtype: %(dtype)s}
  n: {scalar: n, dtype: int32}
launch: {block: 64, grid: n // 64}
reference: {y: "x.reshape(-1, 64).sum(axis=1)"}
tolerance: exact
"""
# Values are whole and small, so that every order of a sum and every form of a product is exact.
TASKS = {
    "scale": (ELEMENTS, {"dtype": "float32", "values": "rng.integers(-1000, 1000, n) + 0.0", "reference": "3 * x"}, "float", "float2", "3 * a"),
    "square": (ELEMENTS, {"dtype": "float64", "values": "rng.integers(-1000, 1000, n) + 0.0", "reference": "x * x + 1"}, "double", "double2", "a * a + 1"),
    "mix": (ELEMENTS, {"dtype": "uint32", "values": "rng.integers(0, 2**31, n)", "reference": "x ^ (x >> 3)"}, "unsigned", "uint2", "a ^ (a >> 3)"),
    "positive": (ELEMENTS, {"dtype": "int64", "values": "rng.integers(-1000, 1000, n)", "reference": "np.maximum(x, 0)"}, "long long", "longlong2", "a > 0 ? a : T(0)"),
    "sum_f": (SUMS, {"dtype": "float32", "values": "rng.integers(-1000, 1000, n) + 0.0"}, "float", "float2", ""),
    "sum_d": (SUMS, {"dtype": "float64", "values": "rng.integers(-1000, 1000, n) + 0.0"}, "double", "double2", ""),
    "sum_i": (SUMS, {"dtype": "int32", "values": "rng.integers(-1000, 1000, n)"}, "int", "int2", ""),
}
HEAD = 'extern "C" __global__ void k(@T *y, const @T *x, int n)'
F = "__device__ @T f(@T a) { using T = @T; return @F; }\n"
I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
# The texts for tasks over elements have @T for the type, @V for two of them, and @F for the function of `a`.
STYLES = {
    "plain": F + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }",
    "early_return": F + HEAD + " { " + I + " if (i >= n) return; y[i] = f(x[i]); }",
    "grid_stride": F + HEAD + " { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = f(x[i]); }",
    "backwards": F + HEAD + " { int i = n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x); if (i >= 0) y[i] = f(x[i]); }",
    "first_block_does_all": F + HEAD + " { if (blockIdx.x == 0) for (int i = threadIdx.x; i < n; i += 64) y[i] = f(x[i]); }",
    "one_thread_a_block": F + HEAD + " { if (threadIdx.x == 0) for (int i = blockIdx.x * 64, e = min(n, i + 64); i < e; ++i) y[i] = f(x[i]); }",
    "pairs": F + HEAD + " { " + I + " if (2 * i + 1 < n) { @V v = reinterpret_cast<const @V *>(x)[i]; v.x = f(v.x); v.y = f(v.y); reinterpret_cast<@V *>(y)[i] = v; }"
             " else if (2 * i < n) y[2 * i] = f(x[2 * i]); }",
    "shared_tile": F + HEAD + " { __shared__ @T tile[64]; " + I + " if (i < n) tile[threadIdx.x] = x[i]; __syncthreads(); if (i < n) y[i] = f(tile[threadIdx.x]); }",
    "shared_reversed": F + HEAD + " { __shared__ @T tile[64]; const int r = 63 - threadIdx.x; int j = blockIdx.x * 64 + r; if (j < n) tile[r] = f(x[j]); __syncthreads(); "
                       + I + " if (i < n) y[i] = tile[threadIdx.x]; }",
    "shuffled_and_back": F + HEAD + " { " + I + " @T v = i < n ? x[i] : (@T)0; v = __shfl_xor_sync(~0u, v, 7); v = f(v); v = __shfl_xor_sync(~0u, v, 7); if (i < n) y[i] = v; }",
    "warps_by_turns": F + HEAD + " { " + I + " for (int w = 0; w < 2; ++w) { if (threadIdx.x / 32 == w && i < n) y[i] = f(x[i]); __syncthreads(); } }",
    "while_loop": F + HEAD + " { " + I + " while (i < n) { y[i] = f(x[i]); i += 1 << 30; if (i < 0) break; } }",
    "do_while": F + HEAD + " { " + I + " if (i < n) do { y[i] = f(x[i]); } while (false); }",
    "goto_end": F + HEAD + " { " + I + " @T v; if (i >= n) goto end; v = f(x[i]); y[i] = v; end: return; }",
    "switched": F + HEAD + " { " + I + " switch (i < n) { case true: y[i] = f(x[i]); default:; } }",
    "long_index": F + HEAD + " { const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) *(y + i) = f(*(x + i)); }",
    "size_t_index": F + HEAD + " { const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; if (i < size_t(n)) y[i] = f(x[i]); }",
    "index_before_array": F + HEAD + " { " + I + " if (i < n) i[y] = f(i[x]); }",
    "pointer_walk": F + HEAD + " { " + I + " if (i >= n) return; const @T *p = x; @T *q = y; p += i; q += i; *q = f(*p); }",
    "ternary_address": F + HEAD + " { " + I + " @T sink; *(i < n ? y + i : &sink) = f(x[i < n ? i : n - 1]); }",
    "lambda": HEAD + " { using T = @T; auto g = [](T a) -> T { return @F; }; " + I + " if (i < n) y[i] = g(x[i]); }",
    "lambda_captures_all": HEAD + " { using T = @T; " + I + " auto store = [&](int j) { const T a = x[j]; y[j] = @F; }; if (i < n) store(i); }",
    "functor": "struct Op { using T = @T; __device__ T operator()(T a) const { return @F; } };\n" + HEAD + " { " + I + " if (i < n) y[i] = Op{}(x[i]); }",
    "template": "template <typename T> __device__ T g(T a) { return @F; }\n" + HEAD + " { " + I + " if (i < n) y[i] = g<@T>(x[i]); }",
    "template_by_op": "template <typename T, T (*G)(T)> __device__ void apply(T &to, T a) { to = G(a); }\n" + F + HEAD + " { " + I + " if (i < n) apply<@T, f>(y[i], x[i]); }",
    "fold_over_a_pack": "template <int... J> __device__ @T g(@T v) { using T = @T; T r = 0; ((r = J == 0 ? [](T a) -> T { return @F; }(v) : r), ...); return r; }\n"
                        + HEAD + " { " + I + " if (i < n) y[i] = g<0, 1>(x[i]); }",
    "recursion_by_template": "template <int N> struct G { static __device__ @T f(@T a) { return G<N - 1>::f(a); } };\ntemplate <> struct G<0> { static __device__ @T f(@T a) { using T = @T; return @F; } };\n"
                             + HEAD + " { " + I + " if (i < n) y[i] = G<9>::f(x[i]); }",
    "recursion": "__device__ __noinline__ @T g(@T a, int depth) { using T = @T; return depth ? g(a, depth - 1) : T(@F); }\n" + HEAD + " { " + I + " if (i < n) y[i] = g(x[i], 3); }",
    "macros": "#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)\n#define EACH(i) for (int i = INDEX, once = 1; once && i < n; once = 0)\n" + F + HEAD + " { EACH(j) y[j] = f(x[j]); }",
    "macro_names_kernel": "#define NAME k\n" + F + HEAD.replace(" k(", " NAME(") + " { " + I + " if (i < n) y[i] = f(x[i]); }",
    "pasted_names": "#define CAT(a, b) a##b\n" + F + HEAD.replace(" k(", " CAT(, k)(") + " { " + I + " if (i < n) CAT(, y)[i] = CAT(f, )(x[i]); }",
    "lines_joined": F + HEAD + " { int i = block\\\nIdx.x * blockDim.x + thread\\\nIdx.x; if (i < n) y[i] = f(x[i]); }",
    "digraphs": F.replace("{", "<%").replace("}", "%>") + HEAD + " <% " + I + " if (i < n) y<:i:> = f(x<:i:>); %>",
    "words_for_operators": F + HEAD + " { " + I + " if (not (i >= n) and true) y[i] = f(x[i]); }",
    "comments_in_unicode": "// Ядро: y = f(x) — übliche Schreibweise, 核函数 🚀\n" + F + HEAD + " { /* größe */ " + I + " if (i < n) y[i] = f(x[i]); // ende\n}",
    "comment_of_code": "/* extern \"C\" __global__ void k(char *a) { } */\n" + F + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }\n// __global__ void k(int) {}",
    "if_zero": "#if 0\nextern \"C\" __global__ void k(char *a) {}\n#endif\n" + F + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }",
    "windows_lines": F + HEAD + " {\r\n  " + I + "\r\n  if (i < n) y[i] = f(x[i]);\r\n}\r\n",
    "tabs_and_blanks": F + HEAD + "\n\n\n\t{\t" + I + "\f\v\n\t\tif\n(i\n<\nn)\ny\n[\ni\n]\n=\nf(x[i]);\n\n}",
    "no_last_newline": (F + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }").strip(),
    "names_of_no_meaning": F.replace(" f(", " l1Il(") + 'extern "C" __global__ void k(@T *_0, const @T *_1, int __2) { int O0 = blockIdx.x * blockDim.x + threadIdx.x; if (O0 < __2) _0[O0] = l1Il(_1[O0]); }',
    "other_parameter_names": F + 'extern "C" __global__ void k(@T *out, const @T *in, int count) { int n = blockIdx.x * blockDim.x + threadIdx.x; if (n < count) out[n] = f(in[n]); }',
    "restrict": F + 'extern "C" __global__ void k(@T *__restrict__ y, const @T *__restrict__ x, const int n) { ' + I + " if (i < n) y[i] = f(x[i]); }",
    "read_only_loads": F + HEAD + " { " + I + " if (i < n) y[i] = f(__ldg(&x[i])); }",
    "streaming": F + HEAD + " { " + I + " if (i < n) __stcs(&y[i], f(__ldcs(&x[i]))); }",
    "volatile": F + HEAD + " { " + I + " const volatile @T *p = x; volatile @T *q = y; if (i < n) { @T v = p[i]; q[i] = f(v); } }",
    "launch_bounds": F + 'extern "C" __global__ void __launch_bounds__(64, 2) k(@T *y, const @T *x, int n) { ' + I + " if (i < n) y[i] = f(x[i]); }",
    "bounds_of_1024": F + 'extern "C" __launch_bounds__(1024) __global__ void k(@T *y, const @T *x, int n) { ' + I + " if (i < n) y[i] = f(x[i]); }",
    "mangled": F + "__global__ void k(@T *y, const @T *x, int n) { " + I + " if (i < n) y[i] = f(x[i]); }",
    "in_a_namespace": "namespace a { namespace b {\n" + F + "__global__ void k(@T *y, const @T *x, int n) { " + I + " if (i < n) y[i] = f(x[i]); }\n} }",
    "extern_c_block": F + "extern \"C\" {\n__global__ void k(@T *y, const @T *x, int n) { " + I + " if (i < n) y[i] = f(x[i]); }\n}",
    "declared_first": F + HEAD + ";\n" + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }",
    "static_helper_kernel": F + "static __global__ void unused(int *p) { *p = 1; }\n" + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }",
    "auto_everywhere": F + HEAD + " { auto const i{int(blockIdx.x * blockDim.x + threadIdx.x)}; if (auto const ok{i < n}; ok) y[i] = f(x[i]); }",
    "structured_binding": F + HEAD + " { struct P { @T a; int i; }; " + I + " if (i < n) { auto [a, j] = P{x[i], i}; y[j] = f(a); } }",
    "constexpr_if": F + HEAD + " { " + I + " if constexpr (sizeof(@T) > 0) { if (i < n) y[i] = f(x[i]); } }",
    "attributes": F + HEAD + " { [[maybe_unused]] int unused = 1; " + I + " if (i < n) [[likely]] y[i] = f(x[i]); }",
    "range_for": F + HEAD + " { " + I + " int places[1] = {i}; for (int j : places) if (j < n) y[j] = f(x[j]); }",
    "unrolled": F + HEAD + " {\n#pragma unroll 4\n for (int j = 0; j < 4; ++j) { int i = blockIdx.x * 64 + threadIdx.x / 4 * 4 + j; if (threadIdx.x % 4 == 0 && i < n) y[i] = f(x[i]); } }",
    "local_array": F + HEAD + " { @T v[8]; " + I + " for (int j = 0; j < 8; ++j) v[j] = i < n ? x[i] : (@T)j; if (i < n) y[i] = f(v[(i * 7) % 8]); }",
    "union_of_bytes": F + HEAD + " { union { @T v; unsigned char b[sizeof(@T)]; } u, w; " + I + " if (i < n) { u.v = f(x[i]); for (int j = 0; j < sizeof(@T); ++j) w.b[j] = u.b[j]; y[i] = w.v; } }",
    "memcpy": F + HEAD + " { " + I + " if (i < n) { @T v; memcpy(&v, x + i, sizeof v); v = f(v); memcpy(y + i, &v, sizeof v); } }",
    "function_table": F + "__device__ @T zero(@T) { return 0; }\n" + HEAD + " { @T (*const table[])(@T) = {zero, f}; " + I + " if (i < n) y[i] = table[n > 0](x[i]); }",
    "virtual_call": "struct Base { virtual __device__ @T go(@T a) const = 0; };\nstruct Real : Base { __device__ @T go(@T a) const override { using T = @T; return @F; } };\n"
                    + HEAD + " { Real real; const Base *base = &real; " + I + " if (i < n) y[i] = base->go(x[i]); }",
    "constant_table": "__constant__ int step[2] = {0, 1};\n" + F + HEAD + " { int i = blockIdx.x * blockDim.x + threadIdx.x * step[1] + step[0]; if (i < n) y[i] = f(x[i]); }",
    "device_constant": "__device__ const int one = 1;\n" + F + HEAD + " { int i = (blockIdx.x * blockDim.x + threadIdx.x) * one; if (i < n) y[i] = f(x[i]); }",
    "assembly_index": F + HEAD + " { int t, b, i; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t)); asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(b)); asm(\"mad.lo.s32 %0, %1, 64, %2;\" : \"=r\"(i) : \"r\"(b), \"r\"(t)); if (i < n) y[i] = f(x[i]); }",
    "assembly_predicate": F + HEAD + " { " + I + " int in; asm volatile(\"{\\n\\t.reg .pred p;\\n\\tsetp.lt.s32 p, %1, %2;\\n\\tselp.s32 %0, 1, 0, p;\\n\\t}\" : \"=r\"(in) : \"r\"(i), \"r\"(n)); if (in) y[i] = f(x[i]); }",
    "cooperative_groups": "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" + F + HEAD + " { auto i = cg::this_grid().thread_rank(); if (i < n) y[i] = f(x[i]); cg::this_thread_block().sync(); }",
    "tiled_partition": "#include <cooperative_groups.h>\n" + F + HEAD + " { namespace cg = cooperative_groups; auto t = cg::tiled_partition<16>(cg::this_thread_block()); " + I
                       + " @T v = i < n ? f(x[i]) : (@T)0; v = t.shfl(v, t.thread_rank()); if (i < n) y[i] = v; }",
    "standard_headers": "#include <cstdint>\n#include <cmath>\n#include <cstdio>\n#include <type_traits>\n" + F + HEAD + " { std::int32_t i = blockIdx.x * blockDim.x + threadIdx.x; static_assert(std::is_same<int, decltype(n)>::value); if (i < n) y[i] = f(x[i]); }",
    "half_header": "#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n" + F + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }",
    "asserts": "#include <cassert>\n" + F + HEAD + " { " + I + " assert(n > 0 && y != nullptr); if (i < n) y[i] = f(x[i]); }",
    "print_never": F + HEAD + " { " + I + " if (n < 0) printf(\"%d\", n); if (i < n) y[i] = f(x[i]); }",
    "pipeline_copy": "#include <cuda_pipeline.h>\n" + F + HEAD + " { __shared__ alignas(16) @T tile[64]; " + I + " if (i < n) __pipeline_memcpy_async(&tile[threadIdx.x], &x[i], sizeof(@T)); "
                     "__pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); if (i < n) y[i] = f(tile[threadIdx.x]); }",
    "fences": F + HEAD + " { " + I + " if (i < n) { y[i] = f(x[i]); __threadfence(); } __syncwarp(); __threadfence_block(); }",
    "written_twice": F + HEAD + " { " + I + " if (i < n) { y[i] = x[i]; y[i] = f(x[i]); } }",
    "host_code_beside": "#include <iostream>\n#include <vector>\n" + F + HEAD + " { " + I + " if (i < n) y[i] = f(x[i]); }\nint main() { std::vector<int> v(3); std::cout << v.size(); k<<<1, 64>>>(nullptr, nullptr, 0); }",
}
LANES = "const int t = threadIdx.x; @T v = x[blockIdx.x * 64 + t];"
OVER_WARPS = " __shared__ @T part[2]; if (t % 32 == 0) part[t / 32] = v; __syncthreads(); if (t == 0) y[blockIdx.x] = part[0] + part[1]; }"
SUM_STYLES = {
    "one_thread": HEAD + " { if (threadIdx.x == 0) { @T s = 0; for (int j = 0; j < 64; ++j) s += x[blockIdx.x * 64 + j]; y[blockIdx.x] = s; } }",
    "tree": HEAD + " { __shared__ @T s[64]; " + LANES + " s[t] = v; __syncthreads(); for (int h = 32; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); } if (t == 0) y[blockIdx.x] = s[0]; }",
    "interleaved_tree": HEAD + " { __shared__ @T s[64]; " + LANES + " s[t] = v; for (int h = 1; h < 64; h *= 2) { __syncthreads(); if (t % (2 * h) == 0) s[t] += s[t + h]; } if (t == 0) y[blockIdx.x] = s[0]; }",
    "tree_unrolled": "template <int H> __device__ void fold(@T *s, int t) { if (t < H) s[t] += s[t + H]; __syncthreads(); if constexpr (H > 1) fold<H / 2>(s, t); }\n" + HEAD + " { __shared__ @T s[64]; " + LANES + " s[t] = v; __syncthreads(); fold<32>(s, t); if (t == 0) y[blockIdx.x] = s[0]; }",
    "shuffle_down": HEAD + " { " + LANES + " for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);" + OVER_WARPS,
    "shuffle_xor": HEAD + " { " + LANES + "\n#pragma unroll\n for (int h = 1; h < 32; h <<= 1) v += __shfl_xor_sync(0xffffffff, v, h, 32);" + OVER_WARPS,
    "atomic_in_shared": HEAD + " { __shared__ @T s; " + LANES + " if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, v); __syncthreads(); if (t == 0) y[blockIdx.x] = s; }",
    "atomic_in_global": HEAD + " { " + LANES + " if (t == 0) y[blockIdx.x] = 0; __syncthreads(); atomicAdd(&y[blockIdx.x], v); }",
    "warp_level_tail": HEAD + " { __shared__ @T s[64]; " + LANES + " s[t] = v; __syncthreads(); if (t < 32) { v += s[t + 32]; for (int h = 16; h; h >>= 1) v += __shfl_down_sync(~0u, v, h); if (!t) y[blockIdx.x] = v; } }",
    "named_barrier": HEAD + " { __shared__ @T s[64]; " + LANES + " s[t] = v; asm volatile(\"bar.sync 3, 64;\" ::: \"memory\"); if (t == 0) { @T r = 0; for (@T one : s) r += one; y[blockIdx.x] = r; } }",
    "cooperative_reduce": "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n" + HEAD + " { auto w = cg::tiled_partition<32>(cg::this_thread_block()); " + LANES + " v = cg::reduce(w, v, cg::plus<@T>());" + OVER_WARPS,
    "pairs_loaded": HEAD + " { const int t = threadIdx.x; @T v = 0; if (t < 32) { @V p = reinterpret_cast<const @V *>(x)[blockIdx.x * 32 + t]; v = p.x + p.y; } for (int h = 16; h; h >>= 1) v += __shfl_down_sync(~0u, v, h); if (t == 0) y[blockIdx.x] = v; }",
    "scan_and_last": HEAD + " { __shared__ @T s[64]; " + LANES + " s[t] = v; __syncthreads(); for (int h = 1; h < 64; h *= 2) { @T add = t >= h ? s[t - h] : (@T)0; __syncthreads(); s[t] += add; __syncthreads(); } if (t == 63) y[blockIdx.x] = s[63]; }",
    "lambda_fold": HEAD + " { auto fold = [](const @T *p, int m) { @T s = 0; while (m--) s += *p++; return s; }; if (threadIdx.x == 63) y[blockIdx.x] = fold(x + blockIdx.x * 64, 64); }",
    "double_buffer": HEAD + " { __shared__ @T s[2][64]; " + LANES + " int b = 0; s[0][t] = v; for (int h = 32; h > 0; h /= 2, b ^= 1) { __syncthreads(); if (t < h) s[b ^ 1][t] = s[b][t] + s[b][t + h]; } __syncthreads(); if (t == 0) y[blockIdx.x] = s[b][0]; }",
}
PTX = {"float": ("f32", "f", "mul.f32 %f2, %f1, 0f40400000;", 4), "unsigned": ("u32", "r", "shr.u32 %r9, %r8, 3;\n  xor.b32 %r10, %r8, %r9;", 4)}


def ptx(kind):
    """A module that no compiler wrote, for the tasks `scale` and `mix`."""
    dtype, _, work, size = PTX[kind]
    value, result = ("%f1", "%f2") if kind == "float" else ("%r8", "%r10")
    return """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 py, .param .u64 px, .param .u32 pn)
{
  .reg .pred %%p1;
  .reg .f32 %%f<3>;
  .reg .b32 %%r<11>;
  .reg .b64 %%d<6>;
  mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x;
  mad.lo.s32 %%r4, %%r2, %%r3, %%r1;
  ld.param.u32 %%r5, [pn];
  setp.ge.s32 %%p1, %%r4, %%r5;
  @%%p1 bra END;
  ld.param.u64 %%d1, [px]; cvta.to.global.u64 %%d1, %%d1;
  ld.param.u64 %%d2, [py]; cvta.to.global.u64 %%d2, %%d2;
  mul.wide.s32 %%d3, %%r4, %d;
  add.s64 %%d4, %%d1, %%d3; add.s64 %%d5, %%d2, %%d3;
  ld.global.%s %s, [%%d4];
  %s
  st.global.%s [%%d5], %s;
END:
  ret;
}
""" % (size, dtype, value, work, dtype, result)


def candidates():
    """(task, style, text) of all."""
    for task, (suite, _, kind, pair, function) in TASKS.items():
        for style, text in (STYLES if suite is ELEMENTS else SUM_STYLES).items():
            if style == "pipeline_copy" and kind not in ("float", "double", "unsigned", "long long"):
                continue
            yield task, style, text.replace("@T", kind).replace("@V", pair).replace("@F", function)
        if suite is ELEMENTS and kind in PTX:
            yield task, "ptx", ptx(kind)


def judge(program, folder, task, chosen, options):
    """The judgements, by style."""
    suite, values, kind, pair, function = TASKS[task]
    file = folder / (task + ".yaml")
    file.write_text((suite % values).replace("k.cu", task + ".cu"))
    plain = (STYLES["plain"] if suite is ELEMENTS else SUM_STYLES["one_thread"])
    file.with_suffix(".cu").write_text(plain.replace("@T", kind).replace("@V", pair).replace("@F", function))
    lines = "".join(json.dumps({"id": style, "text": text}) + "\n" for style, text in chosen)
    done = subprocess.run([program, "judge", str(file), "--stream", "-q", "-j", str(options.jobs), "--device", options.device], input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(chosen):
        sys.exit("%s: %d answers to %d candidates\n%s" % (task, len(answers), len(chosen), done.stderr))
    return {one["id"]: one["judgement"] if "judgement" in one else {"verdict": one["error"], "feedback": ""} for one in answers}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/bin/warpmark"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--part", default="1/1", help="every Nth candidate from the Ith on")
    parser.add_argument("--task", action="append", choices=TASKS, help="this one alone; may be given again")
    parser.add_argument("--json", type=pathlib.Path, help="write the record there")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the texts there")
    options = parser.parse_args()
    begin, step = map(int, options.part.split("/"))
    all_of_them = [one for one in candidates() if not options.task or one[0] in options.task][begin - 1::step]
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for task, style, text in all_of_them:
            (options.keep / ("%s_%s.cu" % (task, style))).write_text(text, newline="")
    lost, devices = [], set()
    with tempfile.TemporaryDirectory(prefix="warpmark-styles-") as folder:
        for task in TASKS:
            chosen = [(style, text) for other, style, text in all_of_them if other == task]
            if not chosen:
                continue
            for style, made in judge(options.program, pathlib.Path(folder), task, chosen, options).items():
                devices.add(made.get("device", ""))
                if made["verdict"] != "right":
                    lost.append({"task": task, "style": style, "verdict": made["verdict"], "feedback": made["feedback"] or made.get("problem", "")})
    figures.write_record(options.json, {"command": "tests/figures/odd_styles.py", "device": max(devices), "candidates": len(all_of_them),
                                        "styles": len({style for _, style, _ in all_of_them}), "lost": lost})
    print("%d right candidates in %d styles, %d lose" % (len(all_of_them), len({style for _, style, _ in all_of_them}), len(lost)))
    for one in lost:
        print("%(task)s %(style)s: %(verdict)s: %(feedback)s" % one)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
