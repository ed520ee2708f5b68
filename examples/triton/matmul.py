# A product of matrices in Triton: tiles for the tensor cores, any strides, and an activation at the end.
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, a_row, a_column, b_row, b_column, c_row, c_column, slope,
           M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    """Each program computes a tile of c = a b, and multiplies what is negative by `slope`.

    Programs with neighbouring numbers take `GROUP` tiles of one column, so that they share tiles of b in the cache.
    """
    program = tl.program_id(0)
    columns = tl.cdiv(n, N)
    first = program // (GROUP * columns) * GROUP
    height = min(tl.cdiv(m, M) - first, GROUP)
    within = program % (GROUP * columns)
    i = (first + within % height) * M + tl.arange(0, M)
    j = within // height * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        p = start + inner
        left = tl.load(a + i[:, None] * a_row + p[None, :] * a_column, mask=(i[:, None] < m) & (p[None, :] < k), other=0)
        right = tl.load(b + p[:, None] * b_row + j[None, :] * b_column, mask=(p[:, None] < k) & (j[None, :] < n), other=0)
        sums = tl.dot(left, right, sums)
    sums = tl.where(sums < 0, slope * sums, sums)
    tl.store(c + i[:, None] * c_row + j[None, :] * c_column, sums.to(c.dtype.element_ty), mask=(i[:, None] < m) & (j[None, :] < n))
