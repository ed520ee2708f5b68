"""Kernels that PyCUDA writes: lin_comb, a maximum and a dot product by reduction."""
from client import numpy, on_the_cpu_device, randn

on_the_cpu_device()
import pycuda.gpuarray as gpuarray  # noqa: E402
from pycuda.elementwise import ElementwiseKernel  # noqa: E402
from pycuda.reduction import ReductionKernel  # noqa: E402

x, y = randn(50), randn(50)
x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
lin_comb = ElementwiseKernel("float a, float *x, float b, float *y, float *z",
                             "z[i] = a * x[i] + b * y[i]", "linear_combination")
z_gpu = gpuarray.empty_like(x_gpu)
lin_comb(5, x_gpu, 6, y_gpu, z_gpu)
assert numpy.linalg.norm(z_gpu.get() - (5 * x + 6 * y)) < 1e-5

maximum = ReductionKernel(numpy.float32, neutral="-1e30", reduce_expr="a > b ? a : b",
                          map_expr="x[i]", arguments="float *x")
dot = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a + b", map_expr="x[i] * y[i]",
                      arguments="float *x, float *y")
for n in (1, 31, 400, 100003):
    x, y = randn(n), randn(n)
    x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    assert maximum(x_gpu).get() == x.max(), n
    exact = numpy.dot(x.astype(numpy.float64), y.astype(numpy.float64))
    bound = numpy.abs(x * y).sum(dtype=numpy.float64) * 2**-23 * 20
    assert abs(dot(x_gpu, y_gpu).get() - exact) <= bound, n
