"""double_array_new: a kernel of one's own on gpuarrays, whose result stays on the device."""
from client import numpy, on_the_cpu_device, randn

on_the_cpu_device()
import pycuda.gpuarray as gpuarray  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

module = SourceModule("""
__global__ void double_array_new(float *b, float *a, int *info)
{
  int datalen = info[0];
  for (int idx = threadIdx.x; idx < datalen; idx += blockDim.x)
    b[idx] = a[idx] * 2;
}
""")
function = module.get_function("double_array_new")
for shape in ((3,), (4, 4), (1001,)):
    a = randn(*shape)
    a_gpu = gpuarray.to_gpu(a)
    b_gpu = gpuarray.zeros_like(a_gpu)
    info = gpuarray.to_gpu(numpy.array([a.size], dtype=numpy.int32))
    function(b_gpu, a_gpu, info, block=(32, 1, 1), grid=(1, 1))
    assert numpy.array_equal(b_gpu.get(), 2 * a)
    assert numpy.array_equal((b_gpu - a_gpu).get(), a)
    assert numpy.array_equal(a_gpu.get(), a), "the input is as it was"
