"""The first program of the PyCUDA tutorial: a 4 x 4 array is doubled on the device."""
from client import drv, numpy, on_the_cpu_device, randn

on_the_cpu_device()
from pycuda.compiler import SourceModule  # noqa: E402

module = SourceModule("""
__global__ void doublify(float *a)
{
  int idx = threadIdx.x + threadIdx.y * 4;
  a[idx] *= 2;
}
""")
a = randn(4, 4)
a_gpu = drv.mem_alloc(a.nbytes)
drv.memcpy_htod(a_gpu, a)
module.get_function("doublify")(a_gpu, block=(4, 4, 1))
doubled = numpy.empty_like(a)
drv.memcpy_dtoh(doubled, a_gpu)
assert numpy.array_equal(doubled, 2 * a)

# The same by the abridged way of the tutorial, and by a prepared call into a stream.
again = a.copy()
module.get_function("doublify")(drv.InOut(again), block=(4, 4, 1))
assert numpy.array_equal(again, 2 * a)
prepared = module.get_function("doublify")
prepared.prepare("P")
stream = drv.Stream()
prepared.prepared_async_call((1, 1), (4, 4, 1), stream, a_gpu)
stream.synchronize()
drv.memcpy_dtoh(doubled, a_gpu)
assert numpy.array_equal(doubled, 4 * a)
