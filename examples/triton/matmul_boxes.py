# A product of matrices in Triton as its ninth tutorial has it: boxes by tensor maps that the kernel makes, and programs that
# go on to further tiles.
import triton
import triton.language as tl


@triton.jit
def matmul_boxes(a, b, c, m, n, k, programs, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Each program computes every `programs`th tile of c = a bᵀ. What lies outside of a matrix is 0, and is not stored."""
    left = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[M, K])
    right = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[N, K])
    result = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    columns = tl.cdiv(n, N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, M) * columns, programs, flatten=True):
        i = tile // columns * M
        j = tile % columns * N
        sums = tl.zeros((M, N), dtype=tl.float32)
        for step in range(0, tl.cdiv(k, K)):
            sums = tl.dot(left.load([i, step * K]), right.load([j, step * K]).T, sums)
        result.store([i, j], sums.to(c.dtype.element_ty))
