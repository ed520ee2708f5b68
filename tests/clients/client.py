"""Shared by the client programs: skipping without PyCUDA, and the seed of their random numbers."""
import os
import sys

SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


try:
    import numpy
except ImportError as error:
    skip(f"no NumPy for {sys.executable}: {error}")
try:
    import pycuda.driver as drv
except ImportError as error:
    skip(f"PyCUDA cannot be imported ({error}); `./bootstrap test` fetches it")

# Another seed: WARPMARK_TEST_SEED=7 ctest -L clients
SEED = int(os.environ.get("WARPMARK_TEST_SEED", "20"))
print(f"seed {SEED}")
random = numpy.random.default_rng(SEED)


def randn(*shape):
    return random.standard_normal(shape).astype(numpy.float32)


def on_the_cpu_device():
    """A context on the device that warpmark-cpu gave; anything else would test something else."""
    import pycuda.autoinit
    assert pycuda.autoinit.device.name() == "Warpmark CPU device", pycuda.autoinit.device.name()
    return pycuda.autoinit
