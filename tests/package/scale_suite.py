"""The suite and kernel that tests of packages check: two cases, which pass."""

SUITE = """\
warpmark: 1
kernel: {file: scale.cu, entry: scale}
axes: {n: [1, 1000]}
arguments: {x: {inout: rng.standard_normal(n)}, n: {scalar: n}}
launch: {block: 128, grid: "ceil_div(n, 128)"}
reference: {x: 3 * x}
tolerance: exact
"""
KERNEL = """\
#include <cuda_fp16.h>
extern "C" __global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 3;
}
"""
