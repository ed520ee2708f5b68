"""Compiles a kernel of Triton for a suite, without a GPU.

It calls the installed Triton with the types of the suite's arguments and the constants of `constexpr`,
and hands on a kernel that is like any other: what Triton's own launcher would add is taken out or
filled in, namely

- the size of its dynamic shared memory, where 48 KiB of static memory hold it;
- its last parameters, for scratch memory, of which the answer says how much it is.
"""
import hashlib
import json
import linecache
import os
import pathlib
import re
import sys
import types

import kernel_compiler
from kernel_compiler import Missing, Refused, lacks, load, path_of

STATIC_SHARED = 48 << 10  # bytes: the most that a kernel may have without asking for more
TYPES = {
    "bool": "i1", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "int64": "i64", "uint64": "u64", "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
}
# Bytes of the integers that Triton's launcher may compile as constants.
SIZES = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8}
# Triton's options that a suite may set in `options`, with their types.
OPTIONS = {"num_warps": int, "num_stages": int, "num_ctas": int, "maxnreg": int, "enable_fp_fusion": lambda text: text != "0"}


def kernel_of(module, name, path):
    """The function that @triton.jit has made, without what tries several sets of constants."""
    from triton.runtime.jit import JITFunction

    found = getattr(module, name, None)
    while found is not None and not isinstance(found, JITFunction) and hasattr(found, "fn"):
        found = found.fn  # @triton.autotune, @triton.heuristics
    if not isinstance(found, JITFunction):
        kernels = [key for key, value in vars(module).items() if hasattr(value, "arg_names") or isinstance(value, JITFunction)]
        raise Refused("%s has no kernel `%s`" % (path.name, name),
                      hint="it has %s" % ", ".join(kernels) if kernels else "a kernel is a function with @triton.jit")
    return found


def constants_and_options(words, kernel):
    """From `-DNAME=value` (the suite's `constexpr`) and `NAME=value` (its `options`). As in a launch of Triton's,
    a constant that is no parameter may be an option.
    """
    constants, options = {}, {}
    for word in words:
        name, equals, text = word.removeprefix("-D").partition("=")
        if not equals:
            raise Refused("the option `%s` is not NAME=VALUE" % word)
        if word.startswith("-D") and not (name in OPTIONS and name not in kernel.arg_names):
            if name not in kernel.arg_names:
                raise Refused("`%s` of `constexpr` is no parameter of the kernel" % name,
                              hint="it has %s" % ", ".join(kernel.arg_names))
            constants[name] = constant(text)
        elif name in OPTIONS:
            try:
                options[name] = OPTIONS[name](text)
            except ValueError:
                raise Refused("the option `%s` is no number" % word) from None
        else:
            raise Refused("Triton has no option `%s` that a suite may set" % name, hint="there are %s" % ", ".join(OPTIONS))
    return constants, options


def constant(text):
    """A value of `constexpr` as Python has it: a number, True, False, None, or else a type or text."""
    import triton.language as tl

    known = {"true": True, "false": False, "True": True, "False": False, "None": None}
    if text in known:
        return known[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    if text in TYPES:
        return getattr(tl, {"bool": "int1", "float8_e4m3fn": "float8e4nv", "float8_e5m2": "float8e5"}.get(text, text))
    return text.strip("'\"")


def hint_of(name, tuned):
    """An example of `constexpr`: for an autotuned kernel the first of its sets."""
    if name not in tuned:
        return "constexpr: {%s: …}" % name
    return "it is autotuned, and the suite chooses: constexpr: {%s}" % ", ".join("%s: %s" % item for item in tuned.items())


def tuned_of(module, name):
    """The constants of the first configuration of an autotuned kernel."""
    configurations = getattr(getattr(module, name, None), "configs", None) or []
    return dict(getattr(configurations[0], "kwargs", {})) if configurations else {}


def source_of(kernel, constants, arguments, entry, tuned):
    """The source that Triton compiles, with the types of the parameters and all that is known of their values.

    Beside it, for each argument of the suite: None, or the bits of an integer that is compiled as 1.
    """
    from triton.compiler import ASTSource

    signature, attributes, left, given = {}, {}, list(arguments), []
    for index, name in enumerate(kernel.arg_names):
        if name in constants or (kernel.params[index].is_constexpr and kernel.params[index].has_default):
            signature[name] = "constexpr"
            continue
        if kernel.params[index].is_constexpr:
            raise Refused("the constant `%s` of the kernel has no value" % name, hint=hint_of(name, tuned))
        if not left:
            raise Refused("`%s` has the parameter `%s`, and the suite no argument for it" % (entry, name))
        argument = left.pop(0)
        dtype = argument.get("dtype")
        if dtype not in TYPES:
            raise Refused("the argument for `%s` has %s" % (name, "the dtype %s, which Triton has not" % dtype if dtype else "no dtype"),
                          hint="Triton compiles for types that the suite gives: {…, dtype: float32}")
        if argument.get("one") and dtype in SIZES and specialises(kernel.params[index]):
            signature[name], constants[name] = "constexpr", 1
            given.append(8 * SIZES[dtype])
            continue
        given.append(None)
        signature[name] = ("*" if argument["array"] else "") + TYPES[dtype]
        if argument.get("aligned") and (argument["array"] or dtype in SIZES and specialises(kernel.params[index], alignment=True)):
            attributes[(index,)] = [["tt.divisibility", 16]]
    if left:
        raise Refused("the suite gives `%s` %d arguments too many: it has %s" % (
            entry, len(left), ", ".join(name for name in signature if signature[name] != "constexpr")))
    for index, parameter in enumerate(kernel.params):
        if signature[parameter.name] == "constexpr" and parameter.name not in constants:
            constants[parameter.name] = parameter.default
    return ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes), given


def specialises(parameter, alignment=False):
    """True if Triton's launcher compiles an integer that is 1, or a multiple of 16, as such."""
    return not parameter.do_not_specialize and not (alignment and parameter.do_not_specialize_on_alignment)


def compile_kernel(request, path):
    import triton
    from triton.backends.compiler import GPUTarget

    module = load(path, request.get("source"))
    kernel = kernel_of(module, request["entry"], path)
    constants, options = constants_and_options(request["options"], kernel)
    source, given = source_of(kernel, constants, request["arguments"], request["entry"], tuned_of(module, request["entry"]))
    capability = int(re.match(r"sm_(\d+)", request["architecture"]).group(1))
    options.setdefault("enable_fp_fusion", True)  # Triton 3.9 warns where nobody says so.
    try:
        made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
    except Exception as error:
        raise refusal(error, path) from None
    return made, given


def refusal(error, path):
    """Triton's errors name the statement; those of the layers below have only a text."""
    node = getattr(error, "node", None)
    line = getattr(node, "lineno", 0)
    source = getattr(error, "src", "") or ""
    if line and source:  # counted from the function's first line
        text = "".join(linecache.getlines(str(path)))
        line += text.count("\n", 0, max(text.find(source.split("\n")[0]), 0))
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    said = getattr(error, "error_message", None) or str(cause) or type(cause).__name__
    return Refused("%s: %s" % (type(cause).__name__, said.strip().split("\n")[-1] if line else said.strip()), line)


def lines_of_statements(ptx):
    """The PTX without the lines that LLVM counts on within the text of inline assembly, which are of later statements."""
    def first_alone(found):
        head, location, rest = re.match(r"(.*?\n)(\s*\.loc\s.*?\n)?(.*)", found.group(), re.S).groups()
        return head + (location or "") + re.sub(r"(?m)^\s*\.loc\s.*\n", "", rest)

    return re.sub(r"// begin inline asm\n.*?// end inline asm", first_alone, ptx, flags=re.S)


def without_launcher(ptx, made, entry, given):
    """The kernel's PTX under the name that the suite has, complete without Triton's launcher."""
    metadata = made.metadata
    head = re.search(r"\.entry\s+(\S+?)\s*\((.*?)\)", ptx, re.S)
    symbol, parameters = head.group(1), [p.strip() for p in head.group(2).split(",")]
    wanted = given.count(None)
    scratch = scratch_of(metadata) if len(parameters) > wanted else []
    for index, parameter in enumerate(parameters[wanted:]):
        name = re.split(r"\s+", parameter)[-1]
        if (index >= len(scratch) or not scratch[index]) and re.search(r"\[%s\b" % re.escape(name), ptx):
            raise Refused("the kernel uses a parameter of Triton's launcher")
    # An integer that is compiled as 1 has no parameter, and the suite gives it one.
    left = iter(parameters)
    all_given = [next(left) if bits is None else ".param .b%d %s_is_1_%d" % (bits, symbol, index)
                 for index, bits in enumerate(given)]
    all_given += [parameter for parameter, size in zip(left, scratch) if size]
    ptx = ptx[:head.start(2)] + "\n\t" + ",\n\t".join(all_given) + "\n" + ptx[head.end(2):]
    if metadata.shared <= STATIC_SHARED:
        shared = r"\.extern\s+(\.shared\s+\.align\s+\d+\s+\.b8\s+\w+)\[\]"
        ptx = re.sub(shared, r"\1[%d]" % max(metadata.shared, 1), ptx)
    # Parameters have the kernel's name before their own.
    return re.sub(r"\b%s(_param_\d+|_is_1_\d+)?\b" % re.escape(symbol), lambda found: entry + (found.group(1) or ""), ptx)


def scratch_of(metadata):
    """The bytes of memory of the launch's own that its last parameters want for each block, or 0."""
    return [rounded_up(getattr(metadata, name + "_size", 0), getattr(metadata, name + "_align", 1))
            for name in ("global_scratch", "profile_scratch")]


def rounded_up(size, alignment):
    return -(-size // max(alignment, 1)) * max(alignment, 1)


def parameters(made, given):
    """The sources of the kernel's parameters, if they are not the suite's arguments alone."""
    scratch = [{"is": "scratch", "bytes": size} for size in scratch_of(made.metadata) if size]
    return [*({"is": "argument", "argument": index} for index in range(len(given))), *scratch] if scratch else []


def assemble(ptx, architecture):
    """Machine code and ptxas's log, by Triton's ptxas. Absent where there is none."""
    try:
        from triton.backends.nvidia import compiler as backend
        capability = int(re.search(r"\d+", architecture).group())
        if hasattr(backend, "get_ptxas"):
            ptxas = backend.get_ptxas(capability)
        else:
            import triton.knobs
            ptxas = triton.knobs.nvidia.ptxas
    except (ImportError, RuntimeError):
        return b"", ""
    ptxas = getattr(ptxas, "path", None) or ptxas[0]  # older ones give the path and the version
    return kernel_compiler.assemble(ptx, architecture, ptxas)


def use_own_cache(path):
    """Triton's cache knows a kernel by its text, and would hand on the lines of an equal file in another folder."""
    cache = pathlib.Path(os.environ.get("TRITON_CACHE_DIR") or pathlib.Path.home() / ".triton/cache")
    os.environ["TRITON_CACHE_DIR"] = str(cache / hashlib.sha256(str(path).encode()).hexdigest()[:16])


class MemoryCache:
    """Triton's cache where no file can be written: it keeps nothing for another kernel."""

    files = {}

    def __init__(self, key, **_):
        MemoryCache.files = {}

    def get_group(self, _):
        return None

    def get_file(self, _):
        return None

    def put(self, data, name, binary=True):
        self.files[name] = data
        return name

    def put_group(self, *_):
        pass


class InMemory:
    """A compiled kernel as Triton's CompiledKernel has it, without files."""

    def __init__(self, _, group, __):
        texts = {pathlib.Path(name).suffix[1:]: MemoryCache.files[name] for name in group}
        self.asm = {"ptx": texts["ptx"]}
        self.metadata = types.SimpleNamespace(**json.loads(texts["json"]))


def stop_before_machine_code():
    """Has Triton make PTX without a file or a process: no cache, no ptxas, libdevice from standard input."""
    from triton.backends.nvidia import compiler as backend
    from triton.compiler import compiler

    compiler.get_cache_manager = MemoryCache
    compiler.CompiledKernel = InMemory
    add_stages = backend.CUDABackend.add_stages

    def add_stages_without_assembler(self, stages, *arguments):
        add_stages(self, stages, *arguments)
        stages["cubin"] = lambda ptx, metadata: b""

    backend.CUDABackend.add_stages = add_stages_without_assembler
    # LLVM reads the file "-" from standard input.
    library = pathlib.Path(backend.__file__).parent / "lib/libdevice.10.bc"
    opened = os.open(library, os.O_RDONLY)
    os.dup2(opened, 0)
    os.close(opened)
    os.environ["TRITON_LIBDEVICE_PATH"] = "-"
    backend.file_hash = str


class NoDriver:
    """Triton's driver where there is none: files ask it for a device at their beginning, and launch nothing."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget
        return GPUTarget("cuda", 90, 32)

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda")

    def get_current_device(self):
        return 0

    def get_benchmarker(self):
        return None


def by_known_interface(function):
    """Says which Triton it is where that is another one than this file was written for."""
    def call(*arguments):
        try:
            return function(*arguments)
        except (ImportError, AttributeError, TypeError) as error:
            version = getattr(sys.modules.get("triton"), "__version__", "of an unknown version")
            raise Missing("Triton %s is not known to this compiler, which was written for 3.3 to 3.9 (%s: %s)" % (
                version, type(error).__name__, error)) from None

    return call


WARM_UP = """
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def warm_up(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, libdevice.tanh(tl.load(x + i, mask=i < n)) + tl.sum(tl.exp(i.to(tl.float32)), axis=0), mask=i < n)
"""


@by_known_interface
def warm_up():
    import_triton()
    torch = sys.modules.get("torch")
    if torch is not None:  # it compiles for a launch, and nothing is launched
        torch.compile = lambda function=None, **_: function if function is not None else lambda one: one
    stop_before_machine_code()
    confined_answer({"folder": "/suite", "file": "warm_up.py", "entry": "warm_up", "source": WARM_UP,
                     "architecture": "sm_90a", "options": ["-DBLOCK=128"], "arguments": [
                         {"array": True, "dtype": "float32"}, {"array": False, "dtype": "int32"}]})


def import_triton():
    try:
        import triton  # noqa: F401
    except ImportError as error:
        raise lacks("Triton (%s)" % error) from None
    import triton.runtime
    triton.runtime.driver.set_active(NoDriver())


@by_known_interface
def confined_answer(request):
    os.lseek(0, 0, os.SEEK_SET)
    made, given = compile_kernel(request, path_of(request))
    ptx = without_launcher(lines_of_statements(made.asm["ptx"]), made, request["entry"], given)
    return {"ptx": ptx, "dynamic_shared": dynamic_shared(made), "parameters": parameters(made, given)}


def dynamic_shared(made):
    return made.metadata.shared if made.metadata.shared > STATIC_SHARED else 0


@by_known_interface
def answer(request):
    if "source" in request:
        return confined_answer(request)
    path = path_of(request)
    use_own_cache(path)
    import_triton()
    made, given = compile_kernel(request, path)
    ptx = without_launcher(lines_of_statements(made.asm["ptx"]), made, request["entry"], given)
    target = re.search(r"\.target\s+(\w+)", ptx).group(1)
    code, log = assemble(ptx, target)
    return {"ptx": ptx, "cubin": code.hex(), "log": log, "dynamic_shared": dynamic_shared(made), "parameters": parameters(made, given)}


if __name__ == "__main__":
    kernel_compiler.serve(answer, warm_up)
