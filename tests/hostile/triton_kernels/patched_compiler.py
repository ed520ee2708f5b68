# Changes Triton so that another kernel comes out of it.
import triton.compiler.compiler as compiler
PTX = compiler.InMemory.__init__ if hasattr(compiler, "InMemory") else None
compile_it = compiler.compile


def compile(*arguments, **named):
    made = compile_it(*arguments, **named)
    made.asm["ptx"] = made.asm["ptx"].replace("add.f32", "sub.f32").replace("add.rn.f32", "sub.rn.f32")
    return made


compiler.compile = compile
import triton
triton.compile = compile

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)
