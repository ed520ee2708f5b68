"""double_array three ways: a struct with a pointer in it, arrays of structs, In/Out arguments."""
from client import drv, numpy, on_the_cpu_device, random, randn

on_the_cpu_device()
from pycuda.compiler import SourceModule  # noqa: E402

module = SourceModule("""
struct DoubleOperation {
  int datalen, __padding;  // so that 64-bit pointers are aligned
  float *ptr;
};
__global__ void double_array(DoubleOperation *a)
{
  a = &a[blockIdx.x];
  for (int idx = threadIdx.x; idx < a->datalen; idx += blockDim.x)
    a->ptr[idx] *= 2;
}
""")


class DoubleOperation:
    """The device's side of one struct."""
    size = 8 + numpy.intp(0).nbytes

    def __init__(self, array, address):
        self.data = drv.to_device(array)
        self.shape, self.dtype = array.shape, array.dtype
        drv.memcpy_htod(int(address), memoryview(numpy.int32(array.size)))
        drv.memcpy_htod(int(address) + 8, memoryview(numpy.uintp(int(self.data))))

    def get(self):
        return drv.from_device(self.data, self.shape, self.dtype)


function = module.get_function("double_array")
first, second = randn(3), random.standard_normal((2, 3)).astype(numpy.float32)


def fresh():
    memory = drv.mem_alloc(2 * DoubleOperation.size)
    at = int(memory)
    return memory, at, DoubleOperation(first, at), DoubleOperation(second, at + DoubleOperation.size)


# Both at once, by a grid of two blocks.
memory, at, one, two = fresh()
function(memory, block=(32, 1, 1), grid=(2, 1))
assert numpy.array_equal(one.get(), 2 * first) and numpy.array_equal(two.get(), 2 * second)

# Only the first, by a number that stands for an address.
memory, at, one, two = fresh()
function(numpy.uintp(at), block=(32, 1, 1), grid=(1, 1))
assert numpy.array_equal(one.get(), 2 * first) and numpy.array_equal(two.get(), second)

# Only the second, prepared.
memory, at, one, two = fresh()
function.prepare("P")
function.prepared_call((1, 1), (32, 1, 1), at + DoubleOperation.size)
assert numpy.array_equal(one.get(), first) and numpy.array_equal(two.get(), 2 * second)
