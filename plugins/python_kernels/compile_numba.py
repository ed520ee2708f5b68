"""Compiles a kernel of Numba for a suite, without a GPU.

It calls the installed Numba with the types of the suite's arguments. Numba passes an array as seven
kinds of parameters (`parameters` below), which Warpmark fills in.
"""
import ast
import functools
import inspect
import os
import re
import shutil
import textwrap
import types

import kernel_compiler
from kernel_compiler import Missing, Refused, lacks, line_in, load, path_of

OPTIONS = ("fastmath", "opt", "max_registers")
DECLARED = {}  # the first signature of each kernel that its decorator has


def kernel_of(module, name, path):
    """The function that @cuda.jit has made."""
    from numba.cuda.dispatcher import CUDADispatcher

    found = getattr(module, name, None)
    if isinstance(found, CUDADispatcher):
        return found
    kernels = [key for key, value in vars(module).items() if isinstance(value, CUDADispatcher)]
    raise Refused("%s has no kernel `%s`" % (path.name, name),
                  hint="it has %s" % ", ".join(kernels) if kernels else "a kernel is a function with @cuda.jit")


def keep_signatures():
    """Has @cuda.jit keep a kernel's signatures, and not compile it for a driver's device, which there need not be."""
    from numba.cuda.dispatcher import CUDADispatcher

    CUDADispatcher.compile = lambda self, types: DECLARED.setdefault(self, tuple(types))
    CUDADispatcher.disable_compile = lambda self: None


def axes_of(function):
    """How many indices each parameter is used with in the function: `a[i, j]` has two."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    axes = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript):
            continue
        index = node.slice
        if isinstance(node.value, ast.Name):
            count = len(index.elts) if isinstance(index, ast.Tuple) else 1
            axes[node.value.id] = max(axes.get(node.value.id, 0), count)
        elif isinstance(node.value, ast.Attribute) and node.value.attr in ("shape", "strides") and \
                isinstance(node.value.value, ast.Name) and isinstance(index, ast.Constant) and isinstance(index.value, int):
            name = node.value.value.id
            axes[name] = max(axes.get(name, 0), index.value + 1)
    for node in ast.walk(tree):  # rows, columns = a.shape
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and \
                isinstance(node.value.value, ast.Name) and isinstance(node.targets[0], ast.Tuple):
            axes[node.value.value.id] = len(node.targets[0].elts)
    return axes


def signature_of(kernel, arguments, entry):
    """Numba's types of the parameters: those that the file declares, else by the suite's dtypes and the kernel's indices."""
    import numpy as np
    from numba import types
    from numba.core.errors import NumbaError
    from numba.np import numpy_support

    names = list(inspect.signature(kernel.py_func).parameters)
    if len(names) != len(arguments):
        raise Refused("`%s` has %d parameters (%s), and the suite %d arguments" % (entry, len(names), ", ".join(names), len(arguments)))
    if kernel in DECLARED:
        return DECLARED[kernel]
    axes = axes_of(kernel.py_func)
    signature = []
    for name, argument in zip(names, arguments):
        dtype = argument.get("dtype")
        hint = "Numba compiles for types that the suite gives: {…, dtype: float32}"
        if not dtype:
            raise Refused("the argument for `%s` has no dtype" % name, hint=hint)
        try:
            element = numpy_support.from_dtype(np.dtype(dtype))
        except (TypeError, NumbaError):
            raise Refused("the argument for `%s` has the dtype %s, which Numba has not" % (name, dtype), hint=hint) from None
        signature.append(types.Array(element, axes.get(name, 1), "C") if argument["array"] else element)
    return tuple(signature)


def parameters(signature):
    """For each parameter of the compiled kernel, what of the suite's arguments it is."""
    from numba import types

    for index, kind in enumerate(signature):
        if not isinstance(kind, types.Array):
            yield {"is": "argument", "argument": index}
            continue
        yield from ({"is": "null"}, {"is": "null"})  # the owner of the memory, in Numba and in Python
        for what in ("size", "itemsize", "argument"):
            yield {"is": what, "argument": index}
        for what in ("extent", "stride"):
            for axis in range(kind.ndim):
                yield {"is": what, "argument": index, "axis": axis}


def options_of(words):
    options = {}
    for word in words:
        name, equals, text = word.partition("=")
        if word.startswith("-D"):
            raise Refused("a kernel of Numba has no constants (`%s`)" % word[2:], hint="a global of the file is one")
        if name not in OPTIONS or not equals:
            raise Refused("Numba has no option `%s` that a suite may set" % name, hint="there are %s" % ", ".join(OPTIONS))
        options[name] = int(text)
    return options


def compile_kernel(kernel, signature, request, path):
    from numba import cuda
    from numba.core.errors import NumbaError

    options = options_of(request["options"])
    registers = options.pop("max_registers", kernel.targetoptions.get("max_registers"))
    given = {name: kernel.targetoptions.get(name) for name in ("fastmath", "opt", "launch_bounds")}
    given.update((name, bool(value)) for name, value in options.items())
    given = {name: value for name, value in given.items() if value is not None}
    capability = divmod(int(re.search(r"\d+", request["architecture"]).group()), 10)
    try:
        ptx, _ = cuda.compile(kernel.py_func, signature, device=False, abi="numba", cc=capability, lineinfo=True,
                              output="ptx", **given)
    except NumbaError as error:
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()
        line = getattr(getattr(error, "loc", None), "line", 0) or 0
        named = re.findall(r'File "[^"]*%s", line (\d+)' % re.escape(path.name), text)
        raise Refused("%s: %s" % (type(error).__name__, text), int(named[-1]) if named else line) from None
    except Exception as error:
        if "NVVM" in str(error) or "libnvvm" in str(error) or isinstance(error, (FileNotFoundError, OSError)):
            raise Missing("Numba finds no NVVM, which compiles for GPUs: %s" % error) from None
        raise Refused("%s: %s" % (type(error).__name__, error), line_in(error, path)) from None
    return ptx if registers is None else ptx.replace("\n{", "\n.maxnreg %d\n{" % registers, 1)


def renamed(ptx, entry):
    """The kernel's PTX under the name that the suite has. Parameters have the kernel's name before their own."""
    symbol = re.search(r"\.entry\s+([^\s(]+)", ptx).group(1)
    return re.sub(r"(?<![\w$])%s(_param_\d+)?(?![\w$])" % re.escape(symbol), lambda found: entry + (found.group(1) or ""), ptx)


def assemble(ptx):
    """Machine code and ptxas's log; nothing where there is no ptxas."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.path.join(home, "bin"))
    target = re.search(r"\.target\s+(\w+)", ptx).group(1)
    return kernel_compiler.assemble(ptx, target, ptxas) if ptxas else (b"", "")


def import_numba():
    try:
        import numba.cuda  # noqa: F401
    except ImportError as error:
        raise lacks("Numba for CUDA (%s)" % error) from None
    keep_signatures()


def made_of(request):
    """The kernel's PTX, and its signature."""
    path = path_of(request)
    compile_for(request["architecture"])
    kernel = kernel_of(load(path, request.get("source")), request["entry"], path)
    signature = signature_of(kernel, request["arguments"], request["entry"])
    return renamed(compile_kernel(kernel, signature, request, path), request["entry"]), signature


def answer(request):
    if "source" not in request:
        import_numba()
    ptx, signature = made_of(request)
    code, log = assemble(ptx) if "source" not in request else (b"", "")
    return {"ptx": ptx, "cubin": code.hex(), "log": log, "parameters": list(parameters(signature))}


WARM_UP = """
import math
from numba import cuda

@cuda.jit
def warm_up(x):
    i = cuda.grid(1)
    shared = cuda.shared.array(32, "float32")
    shared[cuda.threadIdx.x] = x[i]
    cuda.syncthreads()
    cuda.atomic.add(x, 0, math.tanh(shared[i]))
"""


def keep_libdevice():
    """Has Numba read its library of functions once: it opens the file for each kernel that needs it."""
    from numba.cuda.cudadrv import nvvm

    nvvm.open_libdevice = functools.cache(nvvm.open_libdevice)


def compile_for(architecture):
    """Has Numba compile functions that kernels call for this device, as there is no driver to ask."""
    from numba.cuda import dispatcher

    capability = divmod(int(re.search(r"\d+", architecture).group()), 10)
    dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)


def warm_up():
    import_numba()
    import numba.cuda.random  # noqa: F401 - no file can be opened for it later
    keep_libdevice()
    made_of({"folder": "/suite", "file": "warm_up.py", "entry": "warm_up", "source": WARM_UP, "architecture": "sm_90a",
             "options": [], "arguments": [{"array": True, "dtype": "float32"}]})


if __name__ == "__main__":
    kernel_compiler.serve(answer, warm_up)
