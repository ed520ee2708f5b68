# A product of matrices in Triton as its third tutorial has it: pointers that move along k, and loads some steps ahead.
import triton
import triton.language as tl


@triton.jit
def matmul_ahead(a, b, c, m, n, k, a_row, b_row, c_row, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    """Each program computes a tile of c = a b by the tensor cores of its warpgroups."""
    program = tl.program_id(0)
    columns = tl.cdiv(n, N)
    first = program // (GROUP * columns) * GROUP
    height = min(tl.cdiv(m, M) - first, GROUP)
    i = (first + program % (GROUP * columns) % height) * M + tl.arange(0, M)
    j = program % (GROUP * columns) // height * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    left = a + (i % m)[:, None] * a_row + inner[None, :]
    right = b + inner[:, None] * b_row + (j % n)[None, :]
    sums = tl.zeros((M, N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, K)):
        there = inner < k - step * K
        sums = tl.dot(tl.load(left, mask=there[None, :], other=0.0), tl.load(right, mask=there[:, None], other=0.0), sums)
        left += K
        right += K * b_row
    tl.store(c + i[:, None] * c_row + j[None, :], sums.to(c.dtype.element_ty), mask=(i[:, None] < m) & (j[None, :] < n))
