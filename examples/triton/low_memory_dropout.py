# Dropout in Triton: what is kept follows from a seed and from an element's number, so that no mask is stored.
import triton
import triton.language as tl


@triton.jit
def dropout(x, out, n, share, seed, BLOCK: tl.constexpr):
    """Zeroes elements with the probability `share`, and scales the others up so that the mean stays."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    kept = tl.rand(seed, i) > share
    values = tl.load(x + i, mask=inside)
    tl.store(out + i, tl.where(kept, values / (1 - share), 0.0), mask=inside)
