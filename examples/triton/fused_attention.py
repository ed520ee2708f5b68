# Attention in Triton, forward: softmax(q k' / sqrt(d)) v in one pass over the keys, without the scores in memory.
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, out, totals, n, scale,
              CAUSAL: tl.constexpr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr):
    """A program for M queries of a head. Arrays are (heads, n, DIM); `totals` has the logarithms of the sums of exp.

    After each part of N keys, `sums` and `total` are relative to the greatest score so far, in powers of two.
    """
    head = tl.program_id(1) * n * DIM
    query = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.arange(0, DIM)
    rows = head + query[:, None] * DIM + column[None, :]
    queries = tl.load(q + rows, mask=query[:, None] < n, other=0)
    greatest = tl.full((M,), -float("inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, DIM), tl.float32)
    scale *= 1.4426950408889634  # log2(e)
    end = n
    if CAUSAL:
        end = min(n, (tl.program_id(0) + 1) * M)
    for start in range(0, end, N):
        key = start + tl.arange(0, N)
        there = key < n
        keys = tl.load(k + head + key[None, :] * DIM + column[:, None], mask=there[None, :], other=0)
        scores = scale * tl.dot(queries, keys)
        seen = there[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new = tl.maximum(greatest, tl.max(scores, axis=1))
        powers = tl.exp2(scores - new[:, None])
        change = tl.exp2(greatest - new)
        total = total * change + tl.sum(powers, axis=1)
        values = tl.load(v + head + key[:, None] * DIM + column[None, :], mask=there[:, None], other=0)
        sums = tl.dot(powers.to(values.dtype), values, sums * change[:, None])
        greatest = new
    tl.store(out + rows, (sums / total[:, None]).to(out.dtype.element_ty), mask=query[:, None] < n)
    tl.store(totals + tl.program_id(1) * n + query, (greatest + tl.log2(total)) * 0.6931471805599453, mask=query < n)
