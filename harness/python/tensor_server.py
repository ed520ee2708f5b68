"""Calls functions of Python files with tensors, in a process that has PyTorch.

The front's interpreter never imports PyTorch: it takes seconds, brings threads, and may be another
Python's. Requests come on standard input and answers go to standard output. Each is a line of JSON;
`blobs` in it are the byte counts of what follows the line. What the files print goes to standard error.
"""
import ctypes
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback


class Refused(Exception):
    """The function or its result is wrong: text, line of the file or 0, hint."""

    def __init__(self, text, line=0, hint=""):
        super().__init__(text)
        self.text, self.line, self.hint = text, line, hint


def line_in(error, file):
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 0


def text_of(error):
    if isinstance(error, SyntaxError):
        return "it is not Python: %s" % error.msg
    return ("%s: %s" % (type(error).__name__, error)).rstrip(": ")


class Files:
    """Modules by the path of their file; each is run once."""

    def __init__(self):
        self.modules = {}

    def function(self, file, name):
        if file not in self.modules:
            self.modules[file] = self._load(file)
        found = getattr(self.modules[file], name, None)
        if callable(found):
            return found
        base = os.path.basename(file)
        if found is not None:
            raise Refused("`%s` of %s is no function" % (name, base))
        known = [key for key, value in vars(self.modules[file]).items() if inspect.isfunction(value)]
        raise Refused("there is no function `%s` in %s" % (name, base),
                      hint="it has %s" % ", ".join(known) if known else "the file has no functions")

    def _load(self, file):
        name = "warpmark file %d" % len(self.modules)
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look there
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[name]
            hint = "such a file can import installed packages, but no files beside it" if isinstance(error, ImportError) else ""
            raise Refused("cannot load `%s`: %s" % (os.path.basename(file), text_of(error)), line_in(error, file), hint) from None
        return module


def parameters_of(function):
    skipped = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [{"name": parameter.name, "default": parameter.default is not parameter.empty,
             "positional": parameter.kind is parameter.POSITIONAL_ONLY}
            for parameter in inspect.signature(function).parameters.values() if parameter.kind not in skipped]


def tensor_of(torch, described, blob):
    """A tensor over the bytes. Floats that NumPy lacks come as float32, which has all their values."""
    dtype = getattr(torch, described["dtype"], None)
    carried = getattr(torch, described["carried"], None)
    if dtype is None or carried is None:
        raise Refused("PyTorch %s has no dtype %s, which `%s` has" % (torch.__version__, described["dtype"], described["name"]))
    shape = described["shape"]
    if not blob:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(blob, dtype=carried).reshape(shape).to(dtype)


def value_of(torch, described, blobs):
    kind = described["kind"]
    if kind in ("tensor", "number"):
        tensor = tensor_of(torch, described, next(blobs))
        return tensor.item() if kind == "number" else tensor
    if kind == "tensors":
        return {one["name"]: tensor_of(torch, one, next(blobs)) for one in described["tensors"]}
    if kind == "generator":
        return torch.Generator().manual_seed(described["seed"])
    return described["value"]


def plain_tensor(torch, value, name):
    """The result on the CPU, contiguous, of a dtype that NumPy has."""
    if value is None:
        raise Refused("`%s` returns nothing" % name, hint="is `return` missing?")
    if not isinstance(value, torch.Tensor):
        try:
            value = torch.as_tensor(value)
        except Exception as error:
            raise Refused("`%s` returns a value of type %s, which is no tensor" % (name, type(value).__name__)) from error
    if value.is_meta:
        raise Refused("`%s` returns a tensor without elements (device meta)" % name)
    if value.layout is not torch.strided:
        raise Refused("`%s` returns a tensor of layout %s" % (name, value.layout), hint="`.to_dense()` gives all its elements")
    if value.is_quantized:
        raise Refused("`%s` returns a quantised tensor" % name, hint="`.dequantize()` gives its values")
    value = value.detach().cpu().resolve_conj().resolve_neg()
    if value.dtype.is_floating_point and value.dtype not in (torch.float16, torch.float32, torch.float64):
        value = value.float()
    if value.dtype is getattr(torch, "complex32", None):
        value = value.to(torch.complex64)
    return value.contiguous()


class Server:
    def __init__(self, answers):
        self.files = Files()
        self.answers = answers
        self.torch = None

    def answer(self, request, blobs):
        """The answer to one request, and the tensor whose bytes follow it."""
        if self.torch is None:
            try:
                import torch
            except ImportError as error:
                return {"missing": str(error)}, None
            self.torch = torch
        function = self.files.function(request["file"], request["name"])
        if "values" not in request:
            return {"parameters": parameters_of(function)}, None
        following = iter(blobs)
        positional, named = [], {}
        for described in request["values"]:
            value = value_of(self.torch, described, following)
            if described["positional"]:
                positional.append(value)
            else:
                named[described["parameter"]] = value
        self.torch.manual_seed(0)  # a reference that draws numbers gives the same ones in each run
        try:
            result = function(*positional, **named)
        except BaseException as error:
            raise Refused("`%s` failed: %s" % (request["name"], text_of(error)), line_in(error, request["file"])) from None
        tensor = plain_tensor(self.torch, result, request["name"])
        described = {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape)}
        return described, tensor

    def send(self, answer, tensor):
        size = tensor.numel() * tensor.element_size() if tensor is not None else 0
        self.answers.write(json.dumps({**answer, "blobs": [size] if size else []}).encode() + b"\n")
        if size:
            self.answers.write((ctypes.c_char * size).from_address(tensor.data_ptr()))
        self.answers.flush()


def read_exactly(stream, size):
    blob = bytearray(size)
    view = memoryview(blob)
    while view:
        count = stream.readinto(view)
        if not count:
            sys.exit(0)
        view = view[count:]
    return blob


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first Ctrl-C finishes what runs
    requests, out = sys.stdin.buffer, os.dup(1)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull)
    with os.fdopen(out, "wb") as answers:
        server = Server(answers)
        for line in requests:
            request = json.loads(line)
            blobs = [read_exactly(requests, size) for size in request["blobs"]]
            try:
                answer, tensor = server.answer(request, blobs)
            except Refused as refused:
                answer, tensor = {"error": refused.text, "line": refused.line, "hint": refused.hint}, None
            server.send(answer, tensor)


if __name__ == "__main__":
    main()
