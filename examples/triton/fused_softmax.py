# Softmax of each row in Triton: a row is loaded once, and what is between is in registers.
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Each program takes every `num_programs`-th row. A row has `BLOCK` columns at most."""
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * x_stride + column, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + column, powers / tl.sum(powers, axis=0), mask=inside)
