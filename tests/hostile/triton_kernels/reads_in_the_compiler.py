# Reads a file when the compiler evaluates a constant.
import triton
import triton.language as tl


def lookup():
    return len(open('/etc/passwd').read())


SIZE = tl.constexpr(lookup())


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)
