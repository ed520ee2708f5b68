# Inputs and references that are functions of PyTorch: with PyTorch where it is installed, and else with
# a module that has as much of it as the process asks for.
import importlib.util
import unittest

from languages import environment_with, reason
from program import PYTHON, CheckTest

# A tensor is an array of NumPy with the few names that tensor_server.py uses.
STAND_IN = '''
import numpy as np

__version__ = "0"
strided = "strided"


class DType(str):
    is_floating_point = property(lambda self: "float" in self)


for name in ("float16", "float32", "float64", "bfloat16", "int32", "int64", "uint8", "bool"):
    globals()[name] = DType("torch." + name)


def bare(dtype):
    return "float32" if dtype == bfloat16 else str(dtype).split(".")[1]


class Tensor:
    is_meta = is_quantized = False
    layout = strided

    def __init__(self, array, dtype=None):
        self.array = np.array(array)
        self.dtype = dtype or globals()[str(self.array.dtype)]
        self.shape = self.array.shape

    def to(self, dtype):
        return Tensor(self.array.astype(bare(dtype)), dtype)

    float = lambda self: self.to(float32)
    detach = cpu = resolve_conj = resolve_neg = contiguous = lambda self: self
    reshape = lambda self, shape: Tensor(self.array.reshape(shape), self.dtype)
    item = lambda self: self.array.item()
    numel = lambda self: self.array.size
    element_size = lambda self: self.array.itemsize
    data_ptr = lambda self: self.array.ctypes.data
    __add__ = __radd__ = lambda self, other: Tensor(self.array + getattr(other, "array", other), self.dtype)
    __mul__ = __rmul__ = lambda self, other: Tensor(self.array * getattr(other, "array", other), self.dtype)


class Generator:
    def manual_seed(self, seed):
        self.seed = seed
        return self


manual_seed = lambda seed: None
frombuffer = lambda blob, dtype: Tensor(np.frombuffer(blob, bare(dtype)), dtype)
empty = lambda shape, dtype: Tensor(np.empty(shape, bare(dtype)), dtype)
as_tensor = lambda value: Tensor(value)
randn = lambda n, generator: Tensor(np.random.default_rng(generator.seed).standard_normal(n).astype("float32"))
'''
WRAPPER = '''#!/bin/sh
if [ "$1 $2" = "-I -c" ] && [ $# = 3 ] && case $3 in *tensors*) true ;; *) false ;; esac; then
  exec %s -I -c 'import sys; sys.path.insert(0, "%s"); exec(sys.argv[1], {"__name__": "__main__"})' "$3"
fi
exec %s "$@"
'''
FUNCTIONS = '''import os
import signal
import torch


def drawn(generator, n):
    return torch.randn(n, generator=generator)


def scaled(x, factor, *, more=0):
    assert isinstance(factor, (int, float)), type(factor)
    print("text of the function")
    return factor * x + more


def dtype_of(x):
    if str(x.dtype) != "torch.bfloat16":
        raise TypeError(x.dtype)
    return 2 * x


def raises(x):
    y = 1
    return y / 0


def nothing(x):
    pass


def texts(x):
    return "text"


def unknown(z):
    return z


def numpys(rng):
    return rng


def ends(x):
    os._exit(3)


def dies(x):
    os.kill(os.getpid(), signal.SIGKILL)


def one():
    return 6.0
'''
KERNEL = """
__global__ void scale(%s *x, float factor, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = %s;
}
"""
SUITE = """warpmark: 1
kernel: {file: k.cu, entry: scale}
axes: {n: [3, 100]}
arguments:
  x: {inout: {torch: "f.py:drawn"}}
  factor: {scalar: 1.5}
  n: {scalar: n}
launch: {block: 128}
reference: {x: {torch: "f.py:scaled"}}
"""


class SuiteTest(CheckTest):
    def setUp(self):
        super().setUp()
        self.environment["VIRTUAL_ENV"] = self.python()
        self.write("suites/f.py", FUNCTIONS)
        self.write("suites/k.cu", KERNEL % ("float", "x[i] * factor"))
        self.suite()

    def suite(self, *changes):
        text = SUITE
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write("suites/t.yaml", text)

    def reference(self, name):
        self.suite(("f.py:scaled", "f.py:" + name))


class Functions(SuiteTest):
    def python(self):
        modules = self.write("modules/torch.py", STAND_IN).parent
        self.write("venv/bin/python3", WRAPPER % (PYTHON, modules, PYTHON)).chmod(0o755)
        return str(self.folder / "venv")

    def test_inputs_and_references_are_tensors(self):
        out, err = self.check()
        self.assertIn("2 passed", out)
        self.assertIn("text of the function", out + err)
        self.write("suites/k.cu", KERNEL % ("float", "i == 2 ? 0 : x[i] * factor"))
        self.assertIn("1 of 3 elements of `x` is wrong; the first is x[2]", self.check("suites", "-k", "n=3", code=1)[0])

    def test_the_same_numbers_in_each_run_and_others_by_another_seed(self):
        self.write("suites/k.cu", KERNEL % ("float", "0"))
        first, second = (self.check("suites", "-k", "n=3", code=1)[0].split("expected")[1].split()[0] for _ in range(2))
        other = self.check("suites", "-k", "n=3", "--seed", "7", code=1)[0].split("expected")[1].split()[0]
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_floats_that_numpy_lacks(self):
        self.write("suites/k.cu", "#include <cuda_bf16.h>\n" + KERNEL % ("__nv_bfloat16", "__float2bfloat16(2 * __bfloat162float(x[i]))"))
        self.reference("dtype_of")
        self.assertIn("2 passed", self.check()[0])

    def test_single_values_and_empty_arrays(self):
        self.suite(('{torch: "f.py:drawn"}', "np.ones(1)"), ("f.py:scaled", "f.py:one"), ("1.5", "6"), ("[3, 100]", "[1]"))
        self.assertIn("1 passed", self.check()[0])
        self.suite(("[3, 100]", "[0]"))
        self.assertIn("1 passed", self.check()[0])

    def test_what_is_wrong_has_its_line(self):
        for name, said in (
                ("raises", "suites/f.py:24: error: `raises` failed: ZeroDivisionError"),
                ("nothing", "suites/t.yaml:9:25: error: `nothing` returns nothing"),
                ("texts", "`texts` returns a value of type str, which is no tensor"),
                ("unknown", "`unknown` wants `z`, which there is not"),
                ("numpys", "`numpys` wants `rng`, which there is not"),
                ("absent", "there is no function `absent` in f.py"),
                ("torch", "`torch` of f.py is no function"),
                ("ends", "the process that runs `ends` ended with exit code 3"),
                ("dies", "the process that runs `dies` ended with signal 9")):
            self.reference(name)
            with self.subTest(name):
                self.assertIn(said, self.check("suites", "-k", "n=3", code=1)[0])
        self.suite(("f.py:drawn", "f.py:numpys"))
        out, _ = self.check("suites", "-k", "n=3", code=1)
        self.assertIn("`numpys` wants NumPy's `rng`", out)
        self.assertIn("takes `generator`", out)

    def test_a_file_that_cannot_be_run(self):
        for text, said in (("def scaled(:\n", "suites/f.py:1: error: cannot load `f.py`: it is not Python"),
                           ("import nowhere\n", "no files beside it"), ("\n\n1 / 0\n", "suites/f.py:3: error: cannot load `f.py`: ZeroDivisionError")):
            self.write("suites/f.py", text)
            self.assertIn(said, "".join(self.check("suites", "-k", "n=3", code=1)))

    def test_a_new_process_after_one_that_ended(self):
        self.suite(("axes: {n: [3, 100]}", "axes: {n: [3, 4, 100]}"))
        self.write("suites/f.py", FUNCTIONS.replace("    assert isinstance", "    len(x.shape) and x.shape[0] == 4 and os._exit(2)\n    assert isinstance"))
        out, _ = self.check(code=1)
        self.assertIn("2 passed", out)
        self.assertIn("ended with exit code 2", out)

    def test_suites_that_cannot_be(self):
        for new, said in (('{torch: "f.py"}', "names no function of a Python file"), ('{torch: "f.py:a", function: "f.py:b"}', "exclude each other"),
                          ("{numpy: 1}", "`numpy`")):
            self.suite(('{torch: "f.py:scaled"}', new))
            self.assertIn(said, "".join(self.check(code=2)))

    def test_plan_and_lint_run_no_function(self):
        plan, _ = self.run_program("plan", "suites/t.yaml", "--case", "t.n=3")
        self.assertIn('"torch": "f.py:scaled"', plan)


@unittest.skipIf(importlib.util.find_spec("torch"), "this Python has PyTorch")
class WithoutPyTorch(SuiteTest):
    def python(self):
        self.write("venv/bin/python3", '#!/bin/sh\nexec %s "$@"\n' % PYTHON).chmod(0o755)
        return str(self.folder / "venv")

    def test_it_says_which_python_lacks_it(self):
        out, err = self.check(code=3)
        self.assertIn("`f.py:drawn` needs PyTorch, and %s/venv/bin/python3 has none" % self.folder, out + err)
        self.assertIn("pip install torch", out + err)


@unittest.skipIf(environment_with("torch") is None, reason("torch"))
class PyTorch(Functions):
    def python(self):
        return environment_with("torch")

    def test_strides_gradients_and_dtypes(self):
        self.write("suites/f.py", FUNCTIONS + '''

def view(x):
    y = torch.nn.Parameter(torch.stack([x, x], 1))
    return (1.5 * y)[:, 0]


def sparse(x):
    return (1.5 * x).to_sparse()


def elsewhere(x):
    return x.to("meta")


def complexes(x):
    return x.to(torch.complex64).conj()
''')
        self.reference("view")
        self.assertIn("2 passed", self.check()[0])
        for name, said in (("sparse", "`.to_dense()` gives all its elements"), ("elsewhere", "without elements (device meta)"),
                           ("complexes", "complex64")):
            self.reference(name)
            self.assertIn(said, self.check("suites", "-k", "n=3", code=1)[0])

    def test_float8(self):
        self.write("suites/k.cu", "#include <cuda_fp8.h>\n" + KERNEL % ("__nv_fp8_e4m3", "__nv_fp8_e4m3(2 * float(x[i]))"))
        self.write("suites/f.py", FUNCTIONS + '''

def twice(x):
    assert x.dtype is torch.float8_e4m3fn, x.dtype
    return (2 * x.float()).clamp(-448, 448).to(torch.float8_e4m3fn)
''')
        self.reference("twice")
        self.assertIn("2 passed", self.check()[0])


if __name__ == "__main__":
    unittest.main()
