# Reads before its array by inline assembly.
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.inline_asm_elementwise('ld.global.f32 $0, [$1+-4096];', '=f,l', [(x + i).to(tl.int64)], tl.float32, True, 1) * 0 + tl.load(y + i, mask=inside), mask=inside)
