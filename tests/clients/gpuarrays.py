"""gpuarray: arithmetic, slices, fills, arange, cumath on 4000 x 4000."""
from client import drv, numpy, on_the_cpu_device, randn

on_the_cpu_device()
import pycuda.cumath as cumath  # noqa: E402
import pycuda.gpuarray as gpuarray  # noqa: E402

a = randn(4, 4)
a_gpu = gpuarray.to_gpu(a)
assert numpy.array_equal((2 * a_gpu).get(), 2 * a)
b = randn(4, 4)
b_gpu = gpuarray.to_gpu(b)
assert numpy.array_equal((a_gpu + b_gpu).get(), a + b)
assert numpy.array_equal((a_gpu - b_gpu).get(), a - b)
assert numpy.array_equal((a_gpu * b_gpu).get(), a * b)
assert numpy.array_equal((a_gpu / b_gpu).get(), a / b)
# PyCUDA makes a multiplication and an addition of it, which may be fused.
assert numpy.allclose((a_gpu * b_gpu + a_gpu).get(), a * b + a, rtol=1e-6, atol=1e-7)
assert numpy.array_equal((-a_gpu).get(), -a) and numpy.array_equal(abs(a_gpu).get(), abs(a))

line = gpuarray.arange(400, dtype=numpy.float32)
assert numpy.array_equal(line.get(), numpy.arange(400, dtype=numpy.float32))
assert numpy.array_equal(line[10:20].get(), numpy.arange(10, 20, dtype=numpy.float32))
assert numpy.array_equal(line[::7].get(), numpy.arange(0, 400, 7, dtype=numpy.float32))
zeros = gpuarray.zeros(1000, dtype=numpy.int32)
zeros.fill(7)
assert (zeros.get() == 7).all()
assert gpuarray.max(a_gpu).get() == a.max() and gpuarray.min(a_gpu).get() == a.min()

big = abs(randn(4000, 4000))
big_gpu = gpuarray.to_gpu(big)
assert numpy.array_equal(cumath.fabs(-big_gpu).get(), big)
# sqrtf is correctly rounded unless --use_fast_math says otherwise.
assert numpy.array_equal(cumath.sqrt(big_gpu).get(), numpy.sqrt(big))
free, total = drv.mem_get_info()
assert 0 < free < total
