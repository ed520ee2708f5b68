"""NVRTC, nvJitLink and the driver by ctypes, for toolkit_test.py: each function here is a program
that runs under warpmark-cpu, and its asserts are the test."""
import ctypes
import os
import struct
import sys

Size, Pointer = ctypes.c_size_t, ctypes.c_void_p
SCALE = b'extern "C" __global__ void scale(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 3; }'
HEADER = b".version 8.0\n.target sm_80\n.address_size 64\n"
CALLER = HEADER + b""".extern .func (.param .b32 r) add_one(.param .b32 x);
.visible .entry k(.param .u64 p) {
  .reg .b64 %a<2>; .reg .b32 %x<3>;
  ld.param.u64 %a1, [p]; ld.global.u32 %x1, [%a1];
  { .param .b32 in; .param .b32 out; st.param.b32 [in], %x1; call (out), add_one, (in); ld.param.b32 %x2, [out]; }
  st.global.u32 [%a1], %x2; ret; }
"""
CALLED = HEADER + b""".visible .func (.param .b32 r) add_one(.param .b32 x) {
  .reg .b32 %x<3>; ld.param.b32 %x1, [x]; add.s32 %x2, %x1, 1; st.param.b32 [r], %x2; ret; }
"""
CUBIN, PTX, LTO_IR, FATBIN, OBJECT, ANY = 1, 2, 3, 4, 5, 10


def words(*options):
    return (ctypes.c_char_p * max(len(options), 1))(*options)


class Nvrtc:
    def __init__(self, major="13"):
        self.library = ctypes.CDLL("libnvrtc.so." + major)

    def compile(self, source, *options):
        program = Pointer()
        assert self.library.nvrtcCreateProgram(ctypes.byref(program), source, b"a.cu", 0, None, None) == 0
        result = self.library.nvrtcCompileProgram(program, len(options), words(*options))
        assert result == 0, self.get(program, "ProgramLog")
        return program

    def get(self, program, what):
        size = Size()
        assert getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
        text = ctypes.create_string_buffer(max(size.value, 1))
        if size.value:
            assert getattr(self.library, f"nvrtcGet{what}")(program, text) == 0
        return text.raw[:size.value]


class Device:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        context = Pointer()
        assert self.cuda.cuInit(0) == 0
        assert self.cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0

    def load(self, image):
        module = Pointer()
        return self.cuda.cuModuleLoadData(ctypes.byref(module), image), module

    def run(self, image, name, values, *scalars, threads=1):
        """The values after a kernel of (pointer, scalars); or the error of the synchronisation."""
        result, module = self.load(image)
        assert result == 0, result
        function, data = Pointer(), ctypes.c_uint64()
        assert self.cuda.cuModuleGetFunction(ctypes.byref(function), module, name) == 0
        host = (type(values[0]) * len(values))(*values)
        assert self.cuda.cuMemAlloc_v2(ctypes.byref(data), Size(ctypes.sizeof(host))) == 0
        assert self.cuda.cuMemcpyHtoD_v2(data, host, Size(ctypes.sizeof(host))) == 0
        arguments = [data, *scalars]
        pointers = (Pointer * len(arguments))(*(ctypes.addressof(each) for each in arguments))
        assert self.cuda.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, None, pointers, None) == 0
        result = self.cuda.cuCtxSynchronize()
        if result != 0:
            return result
        assert self.cuda.cuMemcpyDtoH_v2(host, data, Size(ctypes.sizeof(host))) == 0
        return list(host)


class Link:
    def __init__(self, *options, major="13", prefix="nvJitLink%s"):
        self.library, self.prefix, self.handle = ctypes.CDLL("libnvJitLink.so." + major), prefix, Pointer()
        self.created = self.call("Create", ctypes.byref(self.handle), ctypes.c_uint32(len(options)), words(*options))

    def call(self, name, *arguments):
        return getattr(self.library, self.prefix % name)(*arguments)

    def add(self, kind, data, name=None):
        return self.call("AddData", self.handle, kind, data, Size(len(data)), name)

    def complete(self):
        return self.call("Complete", self.handle)

    def get(self, what, size_too=False):
        size = Size()
        result = self.call(f"Get{what}Size", self.handle, ctypes.byref(size))
        text = ctypes.create_string_buffer(max(size.value, 1))
        if result == 0 and size.value:
            result = self.call("Get" + what, self.handle, text)
        return result if size_too or result else text.raw[:size.value]

    def errors(self):
        return self.get("ErrorLog").rstrip(b"\0").decode()


def fatbin(text):
    """A fatbin with one PTX text, which is not compressed, for sm_80."""
    content = text + b"\0" * (8 - len(text) % 8)
    entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(content), 0, 0, 0, 8, 80, 0, 0, 0, 0, 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(content)) + entry + content


def cubin_runs():
    nvrtc, device = Nvrtc(), Device()
    program = nvrtc.compile(SCALE, b"-arch=sm_90")
    cubin = nvrtc.get(program, "CUBIN")
    assert cubin == nvrtc.get(program, "PTX") and cubin.endswith(b"\0"), cubin[:80]
    values = [ctypes.c_float(i).value for i in range(32)]
    after = device.run(cubin, b"scale", [ctypes.c_float(v) for v in values], ctypes.c_int(32), threads=64)
    assert after == [3 * v for v in values], after
    major, minor = ctypes.c_int(), ctypes.c_int()
    assert nvrtc.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0 and major.value == 13
    nvrtc.library.nvrtcGetErrorString.restype = ctypes.c_char_p
    assert nvrtc.library.nvrtcGetErrorString(6) == b"NVRTC_ERROR_COMPILATION"
    assert nvrtc.library.nvrtcDestroyProgram(ctypes.byref(program)) == 0


def out_of_bounds():
    nvrtc, device = Nvrtc(), Device()
    cubin = nvrtc.get(nvrtc.compile(SCALE, b"-arch=sm_90", b"-lineinfo"), "CUBIN")
    assert device.run(cubin, b"scale", [ctypes.c_float(1)] * 32, ctypes.c_int(33), threads=64) == 700


def later_architecture():
    nvrtc, device = Nvrtc(), Device()
    assert device.load(nvrtc.get(nvrtc.compile(SCALE, b"-arch=sm_120"), "CUBIN"))[0] == 218


def wrong_calls():
    nvrtc, size = Nvrtc(), Size(77)
    program = nvrtc.compile(SCALE, b"-arch=compute_90")
    assert nvrtc.get(program, "CUBIN") == b""  # as the real one: there is no cubin of it
    assert nvrtc.get(program, "PTX") != b""
    for wrong in (nvrtc.library.nvrtcGetCUBINSize(program, None), nvrtc.library.nvrtcGetCUBIN(program, None),
                  nvrtc.library.nvrtcGetCUBINSize(None, ctypes.byref(size)), nvrtc.library.nvrtcGetCUBIN(None, None),
                  nvrtc.library.nvrtcCompileProgram(None, 0, None), nvrtc.library.nvrtcDestroyProgram(None)):
        assert wrong not in (0, 11), wrong
    fresh = Pointer()
    assert nvrtc.library.nvrtcCreateProgram(ctypes.byref(fresh), b"x", b"a.cu", 0, None, None) == 0
    assert nvrtc.library.nvrtcGetCUBINSize(fresh, ctypes.byref(size)) == 0 and size.value == 0
    assert nvrtc.library.nvrtcCompileProgram(fresh, 1, words(b"-arch=sm_1")) == 5
    assert nvrtc.library.nvrtcCompileProgram(fresh, 0, None) == 6 and b"error" in nvrtc.get(fresh, "ProgramLog")


def no_nvrtc():
    nvrtc, number = ctypes.CDLL("libnvrtc.so.13"), ctypes.c_int()
    assert nvrtc.nvrtcVersion(ctypes.byref(number), ctypes.byref(number)) == 11
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(Pointer()), SCALE, None, 0, None, None) == 11
    assert nvrtc.nvrtcGetCUBINSize(None, ctypes.byref(Size())) == 11
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    assert nvrtc.nvrtcGetErrorString(11) == b"NVRTC_ERROR_INTERNAL_ERROR"
    link = Link(b"-arch=sm_90", b"-lto")
    assert link.add(LTO_IR, b"\xed\x43\x4e\x7f" + b"\0" * 60, b"x.ltoir") == 5
    assert "x.ltoir: LTO IR is no PTX" in link.errors(), link.errors()


def two_ptx_texts():
    device = Device()
    for prefix, major in (("nvJitLink%s", "13"), ("__nvJitLink%s_13_0", "13"), ("__nvJitLink%s_12_4", "12")):
        link = Link(b"-arch=sm_90", b"-O3", prefix=prefix, major=major)
        assert link.created == 0
        assert link.add(PTX, CALLER) == 0 and link.add(ANY, CALLED + b"\0", b"called") == 0
        assert link.get("LinkedCubin") == 6  # not yet
        assert link.complete() == 0, link.errors()
        cubin = link.get("LinkedCubin")
        assert b".target sm_90" in cubin and cubin.endswith(b"\0")
        assert device.run(cubin, b"k", [ctypes.c_int(41)]) == [42]
        assert link.complete() == 6 and link.add(PTX, CALLED) == 6 and link.get("LinkedPtx") == 3
        assert link.call("Destroy", ctypes.byref(link.handle)) == 0 and not link.handle


def other_inputs():
    """Fatbins and objects with PTX, a file, a cubin that is PTX, text of a later PTX version."""
    device, path = Device(), sys.argv[2]
    with open(path, "wb") as file:
        file.write(CALLED)
    elf = b"\x7fELF" + b"\0" * 14 + b"\x3e\0" + b"\0" * 44 + b"odd"
    later = CALLED.replace(b".version 8.0", b".version 9.9")
    for kind, data in ((FATBIN, fatbin(CALLED)), (OBJECT, elf + fatbin(CALLED)), (CUBIN, CALLED), (PTX, later),
                       (ANY, fatbin(CALLED)), (ANY, elf + fatbin(CALLED))):
        link = Link(b"-arch=sm_90")
        assert link.add(PTX, CALLER) == 0 and link.add(kind, data, b"called") == 0 and link.complete() == 0, (kind, link.errors())
        assert device.run(link.get("LinkedCubin"), b"k", [ctypes.c_int(1)]) == [2], kind
    link = Link(b"-arch=sm_120")
    assert link.add(PTX, CALLER) == 0 and link.call("AddFile", link.handle, PTX, path.encode()) == 0 and link.complete() == 0
    assert device.load(link.get("LinkedCubin"))[0] == 218  # as a cubin for sm_120 could not be loaded
    for kind, data, result, why in ((OBJECT, elf, 3, "no fatbin"), (CUBIN, b"\x7fELF" + b"\0" * 14 + b"\xbe\0" + b"\0" * 44, 3, "code for a GPU"),
                                    (PTX, b"no text", 12, "NVJITLINK_INPUT_PTX"), (ANY, b"no text", 8, "unrecognized"),
                                    (FATBIN, fatbin(CALLED)[:40], 4, "JIT the PTX"), (9, CALLED, 12, "unsupported")):
        link = Link(b"-arch=sm_90")
        assert link.add(kind, data, b"x") == result, (kind, link.errors())
        assert why in link.errors(), link.errors()


def wrong_links():
    for options, result in (((), 2), ((b"-arch=sm_9x",), 1), ((b"-arch=compute_90",), 11), ((b"-arch=sm_20",), 17), ((b"-arch=sm_90", b"-no"), 1),
                            ((b"-arch=sm_90", b"-ptx"), 11), ((b"-arch=sm_90", b"-Xptxas=-v", b"-maxrregcount=32", b"-lineinfo", b"-g"), 0)):
        link = Link(*options)
        assert link.created == result and bool(link.errors()) == (result != 0), (options, link.created)
    link, size = Link(b"-arch=sm_75"), Size()
    assert link.add(PTX, CALLED, b"a.ptx") == 4 and ".target sm_80 is higher than -arch=sm_75" in link.errors()
    assert link.call("AddData", link.handle, PTX, None, Size(3), None) == 3 and link.add(PTX, b"") == 3
    assert link.call("AddFile", link.handle, PTX, b"/no/such") == 3 and "no such file: /no/such" in link.errors()
    link = Link(b"-arch=sm_90")
    assert link.add(PTX, CALLER, b"caller") == 0 and link.complete() == 6 and "undefined reference to 'add_one'" in link.errors()
    link = Link(b"-arch=sm_90")
    assert link.add(PTX, CALLED + b"oops", b"b.ptx") == 4 and "b.ptx, line " in link.errors(), link.errors()
    for name, arguments in (("Complete", (None,)), ("AddData", (None, PTX, CALLED, Size(9), None)), ("Destroy", (None,)), ("GetErrorLogSize", (None, ctypes.byref(size))),
                            ("GetErrorLogSize", (link.handle, None)), ("GetErrorLog", (link.handle, None)), ("AddFile", (link.handle, PTX, None)),
                            ("Create", (None, 0, None)), ("Version", (None, None)), ("GetLinkedCubinSize", (None, ctypes.byref(size)))):
        assert link.call(name, *arguments) == 10, name


def failed_context():
    """A link needs no context: neither one that has failed, before it or in between, nor one of its own is the program's."""
    device, now, before = Device(), Pointer(), Pointer()
    early = Link(b"-arch=sm_90")
    assert early.add(PTX, CALLER) == 0
    store = HEADER + b".visible .entry k(.param .u64 p) { .reg .b64 %a; mov.b64 %a, 4; st.global.u32 [%a], 1; ret; }"
    assert device.cuda.cuCtxGetCurrent(ctypes.byref(before)) == 0 and before
    assert device.run(store, b"k", [ctypes.c_int(1)]) == 700 and device.cuda.cuCtxSynchronize() == 700
    assert early.add(PTX, CALLED) == 0 and early.complete() == 0, early.errors()
    late = Link(b"-arch=sm_90")
    assert late.add(PTX, CALLER) == 0 and late.add(PTX, CALLED) == 0 and late.complete() == 0, late.errors()
    assert late.get("LinkedCubin") == early.get("LinkedCubin")
    assert device.cuda.cuCtxGetCurrent(ctypes.byref(now)) == 0 and now.value == before.value
    active, flags = ctypes.c_int(), ctypes.c_uint()
    assert device.cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 0 and not active.value
    for link in (early, late):
        assert link.call("Destroy", ctypes.byref(link.handle)) == 0


def lto_ir():
    nvrtc, device = Nvrtc(), Device()
    source = b"extern __device__ int add_one(int); extern \"C\" __global__ void k(int *a) { *a = add_one(*a) * 2; }"
    other = b"__device__ int add_one(int x) { return x + 1; }"
    kernel = nvrtc.get(nvrtc.compile(source, b"-arch=sm_90", b"-dlto", b"-rdc=true"), "LTOIR")
    for kind, what, options in ((LTO_IR, "LTOIR", (b"-dlto",)), (PTX, "PTX", ())):
        link = Link(b"-arch=sm_90", b"-lto", b"-lineinfo")
        added = link.add(LTO_IR, kernel, b"kernel")
        if added == 5:
            assert "there is no nvJitLink" in link.errors()
            return
        data = nvrtc.get(nvrtc.compile(other, b"-arch=sm_90", b"-rdc=true", *options), what)
        assert added == 0 and link.add(kind, data, b"other") == 0 and link.complete() == 0, link.errors()
        assert device.run(link.get("LinkedCubin"), b"k", [ctypes.c_int(4)]) == [10]
    assert Link(b"-arch=sm_90").add(LTO_IR, kernel) == 18  # needs -lto
    # -ptx resolves nothing, gives no cubin, and takes nothing but LTO IR.
    link = Link(b"-arch=sm_90", b"-lto", b"-ptx")
    assert link.add(LTO_IR, kernel) == 0 and link.complete() == 0, link.errors()
    ptx = link.get("LinkedPtx")
    assert b".extern .func" in ptx and b".entry k(" in ptx, ptx
    assert link.call("GetLinkedCubinSize", ctypes.byref(ctypes.c_size_t())) == 6
    link = Link(b"-arch=sm_90", b"-lto", b"-ptx")
    assert link.add(LTO_IR, kernel) == 0 and link.add(PTX, data) == 0
    assert link.complete() == 12 and "all inputs have LTOIR" in link.errors(), link.errors()
    # The PTX goes into a link of its own.
    link = Link(b"-arch=sm_90")
    assert link.add(PTX, ptx) == 0 and link.add(PTX, data) == 0 and link.complete() == 0, link.errors()
    assert device.run(link.get("LinkedCubin"), b"k", [ctypes.c_int(4)]) == [10]
    # A fatbin may hold LTO IR in place of PTX: a header, and an entry of kind 8.
    entry = struct.pack("<HHIQ", 8, 0x101, 64, len(kernel)) + b"\0" * 48 + kernel
    fatbin = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
    assert Link(b"-arch=sm_90").add(FATBIN, fatbin) == 18


def open_with_the_device():
    ctypes.CDLL("libcuda.so.1")
    for name in ("libnvrtc.so.13", "libnvJitLink.so.13"):
        assert hasattr(ctypes.CDLL(name, mode=os.RTLD_NOLOAD), "nvrtcVersion" if "nvrtc" in name else "nvJitLinkVersion")
    try:
        ctypes.CDLL("libnvrtc.so.12", mode=os.RTLD_NOLOAD)
    except OSError:
        return
    raise AssertionError("both versions are open")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
