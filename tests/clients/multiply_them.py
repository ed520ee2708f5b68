"""Two arrays are multiplied; what a kernel was compiled to can be asked for."""
from client import drv, numpy, on_the_cpu_device, randn

on_the_cpu_device()
from pycuda.compiler import SourceModule  # noqa: E402

module = SourceModule("""
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
""")
multiply_them = module.get_function("multiply_them")
a, b = randn(400), randn(400)
dest = numpy.zeros_like(a)
multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1), grid=(1, 1))
assert numpy.array_equal(dest, a * b)
assert multiply_them.shared_size_bytes == 0 and multiply_them.max_threads_per_block == 1024

# One thread too many is a launch that the driver refuses.
try:
    multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(1025, 1, 1))
    raise AssertionError("a block of 1025 threads was launched")
except drv.LogicError as error:
    assert "invalid argument" in str(error), error
