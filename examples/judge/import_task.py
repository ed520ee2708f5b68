# Makes a task for `warpmark judge` of a problem of KernelBench or of reference-kernels.
"""Makes a task for `warpmark judge` of a problem of KernelBench, or of GPU MODE's reference-kernels.

    python import_task.py PROBLEM.py FOLDER [--elements 65536]
    python import_task.py TASK_FOLDER FOLDER [--elements 65536]

A problem of KernelBench is a file with `Model`, `get_inputs` and `get_init_inputs`; one of reference-kernels a folder with
`task.yml` and `reference.py` (`generate_input`, `ref_kernel`). The suite has the inputs and the weights as arguments, the output
behind them, and the problem's own code as its reference, by functions of PyTorch. KernelBench's are held to `from_float64`. FOLDER gets the suite NAME.yaml, NAME_task.py
with these functions, a copy of the problem, and NAME.cu, a kernel with the right parameters that is still to be written.

Sizes are halved until all arrays have at most `--elements` elements together, as the CPU device wants them; give a great number for a GPU. What
cannot be taken is said, with exit code 1. Needs PyTorch.
"""
import argparse
import ast
import copy
import gc
import inspect
import json
import math
import pathlib
import shutil
import sys

import torch

C_TYPES = {"float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16", "int64": "long long", "int32": "int",
           "int16": "short", "int8": "signed char", "uint8": "unsigned char", "bool": "bool"}
HEADERS = {"float16": "cuda_fp16.h", "bfloat16": "cuda_bf16.h"}


class Refused(Exception):
    """The problem cannot be a suite; the text says why."""


def sizes_in(tree):
    """The whole numbers, and tuples of them, that a file assigns to names outside of functions, as in `N, M = 2048 * 2, 16`."""
    found = {}
    for one in tree.body:
        if not isinstance(one, ast.Assign):
            continue
        target = one.targets[0]
        try:
            value = eval(compile(ast.Expression(one.value), "", "eval"), {"__builtins__": {}})
        except Exception:
            continue
        several = isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(target.elts) == len(value)
        for name, each in zip(target.elts, value) if several else [(target, value)]:
            whole = type(each) is int or type(each) is tuple and each and all(type(size) is int for size in each)
            if isinstance(name, ast.Name) and whole:
                found[name.id] = each
    return found


def with_sizes(tree, sizes):
    """The file with other sizes behind its own."""
    body = []
    for one in tree.body:
        body.append(one)
        for name in ast.walk(one.targets[0]) if isinstance(one, ast.Assign) else ():
            if isinstance(name, ast.Name) and name.id in sizes:
                body += ast.parse("%s = %r" % (name.id, sizes[name.id])).body
    tree.body = body
    return tree


def identifier(text):
    """A name for C++ and for files."""
    name = "".join(c if c.isalnum() else "_" for c in text).strip("_").lower()
    return name if name[:1].isalpha() else "problem_" + name


def at_most(value, cap):
    """The value, or each of several, halved until it is at most that."""
    if isinstance(value, tuple):
        return tuple(at_most(one, cap) for one in value)
    while value > cap:
        value = math.ceil(value / 2)
    return value


def dtype_of(tensor):
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in C_TYPES:
        raise Refused("a tensor has the dtype %s" % name)
    return name


class KernelBench:
    """A problem with a model. What it computes is a function of its inputs and weights."""
    TOLERANCE = "from_float64"

    def __init__(self, path, elements):
        self.path, self.name = path, identifier(path.stem)
        self.text = path.read_text()
        self.whole = sizes_in(ast.parse(self.text))
        self.choose_sizes(elements)

    def make(self):
        """Runs the problem once with these sizes."""
        tree = with_sizes(ast.parse(self.text), self.sizes)
        scope = {"__name__": "problem"}
        self.inputs = []
        exec(compile(tree, str(self.path), "exec"), scope)
        for name in ("Model", "get_inputs", "get_init_inputs"):
            if name not in scope:
                raise Refused("the file has no `%s`" % name)
        self.inputs = list(scope["get_inputs"]())
        torch.manual_seed(0)
        model = scope["Model"](*scope["get_init_inputs"]()).eval()
        if not all(isinstance(one, (torch.Tensor, int, float)) for one in self.inputs):
            raise Refused("an input is neither a tensor nor a number")
        named = [*model.named_parameters(), *model.named_buffers()]
        self.weights = {name: one.detach().clone() for name, one in named if one.dim() or one.is_floating_point()}
        with torch.no_grad():
            self.output = model(*self.inputs)
            if not isinstance(self.output, torch.Tensor):
                raise Refused("the model returns %s" % type(self.output).__name__)
            others = list(scope["get_inputs"]())
            self.depends, self.cancels = self.sense(model, others)

    def sense(self, model, others):
        """Returns if the results depend on the inputs by more than their rounding does, and if they are nothing but rounding."""
        def computed(model, values, kind):
            return model(*(one.to(kind) if isinstance(one, torch.Tensor) and one.is_floating_point() else one for one in values))

        try:
            wide = copy.deepcopy(model).double()
            exact, other = (computed(wide, values, torch.float64).double() for values in (self.inputs, others))
        except Exception:  # a model that names its type
            exact, other = self.output.double(), model(*others).double()
        greatest, rounding = exact.abs().max(), (self.output.double() - exact).abs().max()
        if other.shape != exact.shape or not all(map(torch.isfinite, (greatest, rounding))):
            return True, False
        return bool((other - exact).abs().max() > max(100 * rounding, 1e-4 * greatest)), bool(rounding > 0.01 * greatest)

    def count(self):
        tensors = [one for one in [*self.inputs, *self.weights.values(), self.output] if isinstance(one, torch.Tensor)]
        return sum(one.numel() for one in tensors)

    def choose_sizes(self, elements):
        """The greatest sizes with which the problem runs and has at most so many elements: all halved until below one bound."""
        best, why = None, None
        for cap in (2 ** power for power in range(2, 40)):
            self.sizes = {name: at_most(value, cap) for name, value in self.whole.items()}
            try:
                self.make()
            except Refused:
                raise
            except Exception as error:  # sizes that do not fit each other
                why = error
                if sum(one.numel() for one in self.inputs if isinstance(one, torch.Tensor)) > elements:
                    break
                continue
            finally:
                gc.collect()
            if self.count() > elements:
                break
            best = dict(self.sizes)
            if self.sizes == self.whole:
                break
        if best is None:
            raise Refused("no sizes of at most %d elements run (%s)" % (elements, why or "all have more"))
        self.sizes = best
        self.make()
        if self.cancels:
            raise Refused("its results are nothing but rounding: zeros would pass")
        if not self.depends:
            raise Refused("its results are the same for other inputs, within the tolerance: a kernel that reads none would pass")

    def arguments(self):
        for index, one in enumerate(self.inputs):
            yield "x%d" % index, one, "input_%d" % index
        for name, one in self.weights.items():
            yield name.replace(".", "_"), one, "weight_" + name.replace(".", "_")

    def code(self):
        """How the functions of the suite load the problem, and what it computes."""
        return [inspect.getsource(with_sizes), "", "def problem():", '    """The problem\'s own code, with these sizes."""',
                "    tree = with_sizes(ast.parse((HERE / %r).read_text()), SIZES)" % self.path.name,
                *self.LOADED, "def inputs(seed):", "    torch.manual_seed(seed)", '    return list(problem()["get_inputs"]())', "", "",
                "def model():", "    torch.manual_seed(0)  # the weights are arguments, and the same everywhere", "    scope = problem()",
                '    return scope["Model"](*scope["get_init_inputs"]()).eval()', "", "",
                "def compute(values, weights):", "    return torch.func.functional_call(model(), weights, tuple(values))"]

    LOADED = ['    scope = {"__name__": "problem"}', '    exec(compile(tree, str(HERE), "exec"), scope)', "    return scope", "", ""]

    def about(self):
        return "KernelBench's %s, with %s" % (self.path.stem, ", ".join("%s = %s" % one for one in self.sizes.items()) or "its own sizes")

    def files(self):
        return [self.path]


class OnCpu(ast.NodeTransformer):
    """Makes what a file puts on a GPU on the CPU."""

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant("cpu"), node) if node.value == "cuda" else node


class ReferenceKernel(KernelBench):
    """A task of reference-kernels: a function that makes the inputs, and one that computes. Its smallest test is the size."""
    TOLERANCE = None  # its code names the types

    def __init__(self, folder, elements):
        import yaml

        self.path, self.name, self.weights = folder / "reference.py", identifier(folder.name), {}
        tests = yaml.safe_load((folder / "task.yml").read_text()).get("tests")
        if not tests:
            raise Refused("task.yml has no tests")
        sys.path[:0] = [str(folder), str(folder.parent)]
        self.sizes = min(tests, key=lambda test: math.prod(value for name, value in test.items() if name != "seed" and isinstance(value, int)))
        self.make()
        if self.count() > elements:
            raise Refused("the arrays of its smallest test have %d elements" % self.count())

    def make(self):
        scope = {"__name__": "reference"}
        exec(compile(OnCpu().visit(ast.parse(self.path.read_text())), str(self.path), "exec"), scope)
        data = scope["generate_input"](**self.sizes)
        self.inputs = list(data) if isinstance(data, (tuple, list)) else [data]
        if not all(isinstance(one, (torch.Tensor, int, float)) for one in self.inputs):
            raise Refused("its data have more than tensors and numbers")
        self.output = scope["ref_kernel"](data)
        if not isinstance(self.output, torch.Tensor):
            raise Refused("it returns %s" % type(self.output).__name__)

    def code(self):
        return ["class OnCpu(ast.NodeTransformer):", "    def visit_Constant(self, node):",
                '        return ast.copy_location(ast.Constant("cpu"), node) if node.value == "cuda" else node', "", "",
                "def problem():", '    """The task\'s own code, on the CPU."""', "    sys.path.insert(0, str(HERE))",
                "    tree = OnCpu().visit(ast.parse((HERE / %r).read_text()))" % self.path.name, *self.LOADED,
                "def inputs(seed):", '    data = problem()["generate_input"](**{**SIZES, "seed": seed})',
                "    return list(data) if isinstance(data, (tuple, list)) else [data]", "", "",
                "def compute(values, weights):", '    return problem()["ref_kernel"](%s)' % ("tuple(values)" if len(self.inputs) > 1 else "values[0]")]

    def about(self):
        return "The task %s of reference-kernels, with %s" % (self.path.parent.name, ", ".join("%s = %s" % one for one in self.sizes.items()))

    def files(self):
        return [self.path, *filter(pathlib.Path.is_file, (self.path.with_name("task.py"), self.path.parent.parent / "utils.py"))]


def functions_of(problem):
    """The text of the functions that the suite names."""
    lines = ['"""Inputs, weights and reference of %s, made by import_task.py."""' % problem.path.name, "import ast", "import pathlib", "import sys", "",
             "import torch", "", "HERE = pathlib.Path(__file__).parent", "SIZES = %r" % problem.sizes, "", "", *problem.code(), ""]
    for index, one in enumerate(problem.inputs):
        if isinstance(one, torch.Tensor):
            lines += ["", "def input_%d(generator):" % index, "    return inputs(generator.initial_seed() % 2**31)" + "[%d]" % index, ""]
    for name in problem.weights:
        lines += ["", "def weight_%s():" % name.replace(".", "_"), "    return model().state_dict()[%r]" % name, ""]
    lines += ["", "@torch.no_grad()", "def reference(%s):" % ", ".join(name for name, _, _ in problem.arguments()),
              "    weights = {%s}" % ", ".join("%r: %s" % (name, name.replace(".", "_")) for name in problem.weights),
              "    return compute([%s], weights)" % ", ".join("x%d" % index for index in range(len(problem.inputs))), ""]
    return "\n".join(lines)


def suite_of(problem):
    """The suite as text."""
    lines = ["# yaml-language-server: $schema=suite.json", "warpmark: 1", "about: %s." % json.dumps(problem.about())[1:-1],
             "kernel: {file: %s.cu, entry: %s}" % (problem.name, problem.name), "arguments:"]
    for name, one, function in problem.arguments():
        if isinstance(one, torch.Tensor):
            lines.append('  %s: {in: {torch: "%s_task.py:%s"}, dtype: %s}' % (name, problem.name, function, dtype_of(one)))
        else:
            lines.append("  %s: {scalar: %r, dtype: %s}" % (name, one, "int32" if isinstance(one, int) else "float32"))
    out = problem.output
    lines += ["  out: {out: [%s], dtype: %s}" % (", ".join(map(str, out.shape)) or "1", dtype_of(out)),
              'launch: {grid: "ceil_div(out.size, 256)", block: 256}', 'reference: {out: {torch: "%s_task.py:reference"}}' % problem.name]
    if out.is_floating_point():
        eps = torch.finfo(out.dtype).eps
        lines += ["tolerance: " + problem.TOLERANCE] if problem.TOLERANCE else [
            "# The task computes in %s: one rounding of the greatest value is allowed." % dtype_of(out),
            "tolerance: {rtol: %.2g, atol: %.2g}" % (4 * eps, eps * float(out.abs().max()))]
    return "\n".join(lines) + "\n"


def kernel_of(problem):
    """A kernel with the right parameters that writes nothing."""
    parameters, headers = [], set()
    for name, one, _ in problem.arguments():
        if isinstance(one, torch.Tensor):
            headers.add(HEADERS.get(dtype_of(one)))
            parameters.append("const %s *%s" % (C_TYPES[dtype_of(one)], name))
        else:
            parameters.append("%s %s" % ("int" if isinstance(one, int) else "float", name))
    headers.add(HEADERS.get(dtype_of(problem.output)))
    parameters.append("%s *out" % C_TYPES[dtype_of(problem.output)])
    shapes = ["//   %s: %s" % (name, list(one.shape)) for name, one, _ in problem.arguments() if isinstance(one, torch.Tensor)]
    return "\n".join([*("#include <%s>" % header for header in sorted(filter(None, headers))), "// Shapes:", *shapes,
                      "//   out: %s" % list(problem.output.shape),
                      'extern "C" __global__ void %s(%s) {' % (problem.name, ", ".join(parameters)), "}", ""])


def write(problem, folder):
    """Writes all files of a task."""
    files = {"%s.yaml" % problem.name: suite_of(problem), "%s_task.py" % problem.name: functions_of(problem), "%s.cu" % problem.name: kernel_of(problem)}
    folder.mkdir(parents=True, exist_ok=True)
    for file in problem.files():
        shutil.copy(file, folder)
    for name, text in files.items():
        (folder / name).write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("problem", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--elements", type=int, default=65536)
    given = parser.parse_args()
    try:
        problem = (ReferenceKernel if given.problem.is_dir() else KernelBench)(given.problem, given.elements)
        write(problem, given.folder)
    except Refused as refused:
        sys.exit("%s: not taken: %s" % (given.problem, refused))
    except Exception as error:
        sys.exit("%s: not taken: %s: %s" % (given.problem, type(error).__name__, error))
    print("%s: %d elements, %s" % (given.folder / (problem.name + ".yaml"), problem.count(), problem.about()))


if __name__ == "__main__":
    main()
