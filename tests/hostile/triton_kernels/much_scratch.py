# Wants memory of the launch without end.
import triton.compiler.compiler as compiler
import triton
compile_it = compiler.compile


def compile(*arguments, **named):
    made = compile_it(*arguments, **named)
    made.metadata.global_scratch_size = 1 << 62
    return made


triton.compile = compiler.compile = compile

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)
