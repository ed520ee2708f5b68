"""Four processes, each with its share on a device: 0.9 * x, a thousand times."""
import importlib.util
import os
import subprocess
import sys

from client import numpy, on_the_cpu_device, skip

if importlib.util.find_spec("mpi4py") is None:
    skip("there is no mpi4py")

# Before MPI is imported, which starts it: mpirun does not work in a process of MPI.
if "OMPI_COMM_WORLD_SIZE" not in os.environ and "PMI_SIZE" not in os.environ:
    try:
        done = subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "4",
                               sys.executable, __file__], check=False)
    except FileNotFoundError:
        skip("there is no mpirun")
    sys.exit(done.returncode)

try:
    from mpi4py import MPI
except ImportError as error:
    skip(f"mpi4py cannot be imported: {error}")
on_the_cpu_device()
import pycuda.gpuarray as gpuarray  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

communicator = MPI.COMM_WORLD
rank, size = communicator.Get_rank(), communicator.Get_size()
assert size == 4, size
module = SourceModule("""
__global__ void scale(float *x, float factor)
{
  x[threadIdx.x] *= factor;
}
""")
scale = module.get_function("scale")
share = numpy.arange(100, dtype=numpy.float32) + 100 * rank + 1
on_device = gpuarray.to_gpu(share)
for _ in range(1000):
    scale(on_device, numpy.float32(0.9), block=(100, 1, 1))
parts = communicator.gather(on_device.get(), root=0)
if rank == 0:
    expected = numpy.arange(1, 401, dtype=numpy.float32)
    for _ in range(1000):
        expected = numpy.float32(0.9) * expected
    assert numpy.array_equal(numpy.concatenate(parts), expected)
