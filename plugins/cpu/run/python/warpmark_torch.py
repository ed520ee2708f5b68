"""PyTorch's own operators under warpmark-cpu.

libtorch_cuda has them as machine code of GPUs alone, which the CPU device does not execute. Here
PyTorch's CPU operators compute them: the tensors that an operator reads are copied to the host, and
what it writes is copied back. So a test that makes its inputs with torch.randn(…, device="cuda") and
compares with torch.allclose runs as it is; the kernels of extensions and of Triton, which the test is
about, run on the device with its checks.

An operator is replaced where the dispatcher has its CUDA kernel. Random numbers are those of a CPU
generator, whose seed comes from the CUDA generator's seed and offset: they can be repeated by
torch.manual_seed, and the numbers that the program draws on the CPU stay as they are.
"""
import atexit
import collections
import contextlib
import ctypes
import sys
import warnings

DEFAULT = 4  # cudaMemcpyDefault
OFFSET_STEP = 4  # that a CUDA generator's offset must be a multiple of
MOST_RUNS = 4096  # of a tensor with gaps that are copied one by one
# Operators that need no kernel: they allocate, copy bytes, or look at shapes.
KEPT = {
    "empty", "empty_strided", "as_strided", "view", "view_as_real", "view_as_complex", "alias", "unfold",
    "_reshape_alias", "set_", "resize_", "record_stream", "_local_scalar_dense", "is_set_to", "is_pinned",
    "_pin_memory", "_conj", "_neg_view", "_copy_from", "_copy_from_and_resize", "_has_compatible_shallow_copy_type",
    "equal_storage", "_nested_view_from_buffer", "_cudnn_rnn_flatten_weight",
}
# Operators that choose among implementations by device, and are computed as a whole.
WHOLE = ("convolution", "convolution_backward", "copy_")


def prepare(torch):
    """Called once `torch` is imported; the work is left for the moment when CUDA is first used."""
    if torch.version.cuda is not None and hasattr(torch.cuda, "_lazy_call"):
        torch.cuda._lazy_call(lambda: Operators(torch).replace())


class Operators:
    """The replacements of the operators of one process."""

    def __init__(self, torch):
        self.torch = torch
        self.counts = collections.Counter()
        self.library = torch.library.Library("aten", "IMPL")
        self.runtime = ctypes.CDLL("libcudart.so." + torch.version.cuda.split(".")[0])
        self.copy_converting = self.replacement(torch.ops.aten.copy_.default)
        self.own = {"copy_": self.copy_tensor}

    def replace(self):
        torch = self.torch
        # Plain operators take the place of cuDNN's and of attention's own kernels.
        torch.backends.cudnn.enabled = False
        for kind in ("flash", "mem_efficient", "cudnn"):
            getattr(torch.backends.cuda, "enable_%s_sdp" % kind, lambda _: None)(False)
        names = {name[6:] for name in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
                 if name.startswith("aten::")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that they have a kernel already
            for name in sorted(names | {name for name in WHOLE if hasattr(torch.ops.aten, name)}):
                base, _, overload = name.partition(".")
                if base in KEPT:
                    continue
                try:
                    operator = getattr(getattr(torch.ops.aten, base), overload or "default")
                    self.library.impl(name, self.own.get(name) or self.replacement(operator), "CUDA")
                except (AttributeError, RuntimeError):
                    pass  # one that Python cannot call, or that no program can
        atexit.register(self.tell)

    def copy_tensor(self, to, source, non_blocking=False):
        """Bytes are copied on the device, in the order of its stream, as PyTorch does it."""
        same = (to.dtype == source.dtype and to.size() == source.size() and to.stride() == source.stride()
                and to.is_conj() == source.is_conj() and to.is_neg() == source.is_neg())
        parts = list(runs(to)) if same else []
        if len(parts) != 1:
            return self.copy_converting(to, source, non_blocking)
        torch = self.torch
        stream = torch.cuda.current_stream((to if to.is_cuda else source).device)
        offset, count = parts[0]
        result = self.runtime.cudaMemcpyAsync(
            ctypes.c_void_p(to.data_ptr() + offset), ctypes.c_void_p(source.data_ptr() + offset),
            ctypes.c_size_t(count), DEFAULT, ctypes.c_void_p(stream.cuda_stream))
        if result != 0 or not (non_blocking or (to.is_cuda and source.is_cuda)):
            stream.synchronize()  # raises what happened
        return to

    def replacement(self, operator):
        writes = [argument.alias_info is not None and argument.alias_info.is_write
                  for argument in operator._schema.arguments]
        names = [argument.name for argument in operator._schema.arguments]
        random = self.torch.Tag.nondeterministic_seeded in operator.tags
        place = names.index("generator") if "generator" in names else len(names)
        draw = self.default_numbers if random and place == len(names) else contextlib.nullcontext
        written_names = {argument.name for argument, write in zip(operator._schema.arguments, writes) if write}
        name = operator._schema.name.replace("aten::", "")

        def run(*arguments, **named):
            self.count(name)
            call = Call(self)
            on_host = [call.to_host(value, write) for value, write in zip(arguments, writes)]
            named_on_host = {key: call.to_host(value, key in written_names) for key, value in named.items()}
            if place < len(on_host):
                on_host[place] = on_host[place] or self.generator(None)
            elif place < len(names):
                named_on_host["generator"] = named_on_host.get("generator") or self.generator(None)
            try:
                with draw():
                    result = operator(*on_host, **named_on_host)
            except NotImplementedError:
                raise RuntimeError(
                    "%s: PyTorch has no CPU operator for it, and the CPU device cannot execute the machine "
                    "code of libtorch_cuda" % operator) from None
            return call.finish(result)

        return run

    def count(self, name):
        if not self.counts:
            print("warpmark-cpu: PyTorch's own operators on CUDA tensors, such as %s, are machine code of GPUs "
                  "alone; PyTorch's CPU operators compute them (WARPMARK_CPU_TORCH=none: they are refused)" % name,
                  file=sys.stderr, flush=True)
        self.counts[name] += 1

    def tell(self):
        if self.counts:
            print("warpmark-cpu: computed by PyTorch's CPU operators: %s" % ", ".join(
                "%s (%d)" % item for item in self.counts.most_common()), file=sys.stderr, flush=True)

    def generator(self, given):
        """A CPU generator for one call, in the place of a CUDA generator; None for the default one."""
        torch = self.torch
        given = given or torch.cuda.default_generators[torch.cuda.current_device()]
        offset = given.get_offset()
        given.set_offset(offset + OFFSET_STEP)
        return torch.Generator().manual_seed((given.initial_seed() * 6364136223846793005 + offset) % 2 ** 63)

    @contextlib.contextmanager
    def default_numbers(self):
        """Operators that take no generator draw from the CPU's default one, which is lent."""
        torch = self.torch
        state = torch.random.get_rng_state()
        torch.random.set_rng_state(self.generator(None).get_state())
        try:
            yield
        finally:
            torch.random.set_rng_state(state)

    def copy(self, to, source, count):
        if self.runtime.cudaMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(count), DEFAULT) != 0:
            self.torch.cuda.synchronize()  # raises what happened
            raise RuntimeError("a copy between host and device failed")


class Call:
    """The tensors of one call of an operator: those of the device, and their mirrors on the host."""

    def __init__(self, operators):
        self.operators = operators
        self.torch = operators.torch
        self.device = None
        self.mirrors = {}  # by the address of the storage: the storage on the host
        self.from_host = []  # tensors that are on the host anyway
        self.pairs = []  # tensors on the device and on the host, and whether the operator writes to them

    def to_host(self, value, write):
        torch = self.torch
        if isinstance(value, torch.Tensor):
            if value.is_cuda:
                return self.mirror(value, write)
            self.from_host.append(value)
            return value
        if isinstance(value, (list, tuple)):
            return type(value)(self.to_host(item, write) for item in value)
        if isinstance(value, torch.device) and value.type == "cuda":
            self.device = self.device or value
            return torch.device("cpu")
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            return self.operators.generator(value)
        return value

    def mirror(self, tensor, write):
        torch = self.torch
        if not self.pairs:
            torch.cuda.synchronize(tensor.device)  # kernels of any stream
        self.device = tensor.device
        storage = tensor.untyped_storage()
        address = storage.data_ptr()
        if address not in self.mirrors:
            host = torch.empty(storage.nbytes(), dtype=torch.uint8)
            if storage.nbytes() > 0:
                self.operators.copy(host.data_ptr(), address, storage.nbytes())
            self.mirrors[address] = host.untyped_storage()
        on_host = torch.empty(0, dtype=tensor.dtype).set_(
            self.mirrors[address], tensor.storage_offset(), tensor.size(), tensor.stride())
        self.pairs.append((tensor, on_host, write))
        return on_host

    def finish(self, result):
        for tensor, on_host, write in self.pairs:
            if write:
                self.write_back(tensor, on_host)
        return self.to_device(result)

    def write_back(self, tensor, on_host):
        torch = self.torch
        if on_host.size() != tensor.size() or on_host.stride() != tensor.stride():  # out= of another shape
            tensor.resize_(on_host.size())
            if tensor.stride() != on_host.stride():
                tensor.as_strided_(on_host.size(), on_host.stride())
        for offset, count in runs(on_host):
            self.operators.copy(tensor.data_ptr() + offset, on_host.data_ptr() + offset, count)

    def to_device(self, value):
        torch = self.torch
        if isinstance(value, (list, tuple)):
            return type(value)(self.to_device(item) for item in value)
        if not isinstance(value, torch.Tensor) or self.device is None or any(value is given for given in self.from_host):
            return value
        for tensor, on_host, _ in self.pairs:
            if on_host is value:
                return tensor
            if value.numel() > 0 and value.untyped_storage().data_ptr() == on_host.untyped_storage().data_ptr():
                if value.dtype == tensor.dtype:  # a view of an argument
                    return tensor.as_strided(value.size(), value.stride(), value.storage_offset())
        fresh = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=self.device)
        for offset, count in runs(value):
            self.operators.copy(fresh.data_ptr() + offset, value.data_ptr() + offset, count)
        return fresh


def runs(tensor):
    """The bytes of a tensor behind its first element: offsets and counts of what lies together. Gaps are
    left out, as they may have no value yet."""
    if tensor.numel() == 0:
        return
    size = tensor.element_size()
    dimensions = sorted((stride, extent) for stride, extent in zip(tensor.stride(), tensor.size()) if extent > 1)
    together = 1
    while dimensions and dimensions[0][0] in (0, together):
        stride, extent = dimensions.pop(0)
        together *= extent if stride else 1
    count = 1
    for stride, extent in dimensions:
        count *= extent
    if count > MOST_RUNS:
        yield 0, (sum(stride * (extent - 1) for stride, extent in dimensions) + together) * size
        return
    offsets = [0]
    for stride, extent in dimensions:
        offsets = [offset + stride * i for offset in offsets for i in range(extent)]
    for offset in offsets:
        yield offset * size, together * size
