"""A kernel with its ptxas log: how many registers and how much memory it takes."""
import contextlib
import io
import warnings

from client import drv, numpy, on_the_cpu_device, randn

on_the_cpu_device()
from pycuda.compiler import SourceModule  # noqa: E402

SOURCE = """
__global__ void vec_elm_mul(float *dest, const float *a, const float *b, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dest[i] = a[i] * b[i];
}
"""
# PyCUDA hands the compiler's words on as a warning, or prints them.
with warnings.catch_warnings(record=True) as caught, \
        contextlib.redirect_stdout(io.StringIO()) as printed:
    warnings.simplefilter("always")
    module = SourceModule(SOURCE, options=["-Xptxas", "-v"], cache_dir=False)
log = printed.getvalue() + "".join(str(each.message) for each in caught)
assert "ptxas info" in log, log

n = 100003
a, b = randn(n), randn(n)
dest = numpy.zeros_like(a)
module.get_function("vec_elm_mul")(drv.Out(dest), drv.In(a), drv.In(b), numpy.int32(n),
                                   block=(256, 1, 1), grid=((n + 255) // 256, 1))
assert numpy.array_equal(dest, a * b)
