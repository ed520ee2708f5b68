"""Environment variables of the CPU device: that they are in its page, and what wrong values do."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

LIBRARY, PAGE = sys.argv.pop(1), sys.argv.pop(1)

# Launches a kernel of two warps, one of which waits at a barrier for one that never leaves a loop.
ENDLESS = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p
def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    assert result == 0, (name, result)
context, module, kernel = pointer(), pointer(), pointer()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), b'''.version 8.0
.target sm_90
.address_size 64
.entry k() {
.reg .pred %p<2>; .reg .b32 %r<2>;
mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;
@%p1 bra WAIT;
LOOP: bra LOOP;
WAIT: bar.sync 0;
ret; }''')
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
call("cuLaunchKernel", kernel, 1, 1, 1, 64, 1, 1, 0, None, None, None)
print(cuda.cuCtxSynchronize())
"""
COUNT = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
count = ctypes.c_int()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
print(count.value)
"""
# Which targets it takes: 218 is CUDA_ERROR_INVALID_PTX.
TARGETS = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, module = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
taken = []
for target in "sm_75 sm_80 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103f sm_120 sm_120f".split():
    text = f".version 9.0\\n.target {target}\\n.address_size 64\\n.entry k() {{ ret; }}"
    result = cuda.cuModuleLoadData(ctypes.byref(module), text.encode())
    assert result in (0, 218), result
    taken += [target[3:]] * (result == 0)
print(*taken)
"""
# The MiB of the device's memory, and what allocations of 5 GiB give: 2 is CUDA_ERROR_OUT_OF_MEMORY.
MEMORY = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, memory = ctypes.c_void_p(), ctypes.c_void_p()
free, total = ctypes.c_size_t(), ctypes.c_size_t()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)) == 0
print(total.value >> 20, *[cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(5 << 30)) for _ in range(3)])
"""
# Copies within one allocation: some bytes further, onto itself, beside it, and rectangles whose rows meet or lie between each other.
OVERLAPS = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, memory = ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096)) == 0
at, kind = memory.value, sys.argv[2]
def copied(call, to, bytes, *stream):
    assert getattr(cuda, call)(ctypes.c_uint64(at + to), ctypes.c_uint64(at), ctypes.c_size_t(bytes), *stream) == 0, call
class Side(ctypes.Structure):
    _fields_ = [("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("type", ctypes.c_int), ("host", ctypes.c_void_p), ("device", ctypes.c_uint64),
                ("array", ctypes.c_void_p), ("pitch", ctypes.c_size_t)]
class Rows(ctypes.Structure):
    _fields_ = [("source", Side), ("target", Side), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]
def rows(to, width):
    copy = Rows(Side(0, 0, 2, None, at, None, 256), Side(0, 0, 2, None, at + to, None, 256), width, 4)
    assert cuda.cuMemcpy2D_v2(ctypes.byref(copy)) == 0
if kind == "none": copied("cuMemcpyDtoD_v2", 1024, 1024); copied("cuMemcpy", 0, 1024); rows(128, 128)
if kind == "call": copied("cuMemcpyDtoD_v2", 1023, 1024)
if kind == "unified": copied("cuMemcpy", 4, 1024)
if kind == "stream": copied("cuMemcpyDtoDAsync_v2", 4, 1024, None)
if kind == "rows": rows(127, 128)
"""
# The size of the constant bank that the kernels of a module have.
CONSTANTS = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, module, kernel, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
text = (b".version 8.0 .target sm_90 .address_size 64 "
        b".const .b8 a[3]; .const .align 8 .f64 c[10]; .const .b32 d; .entry k() { ret; }")
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), text) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k") == 0
assert cuda.cuFuncGetAttribute(ctypes.byref(size), 2, kernel) == 0
print(size.value)
"""
# A warp copies 128 bytes, reads them, passes a barrier and copies over them.
PROXIES = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, module, kernel, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
text = b'''.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 in) {
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<2>; .shared .align 16 .b8 s[128]; .shared .align 8 .b64 bar;
ld.param.u64 %d1, [in]; mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r1;
setp.eq.u32 %p1, %r3, 0; mov.u32 %r5, 0;
@%p1 mbarrier.init.shared.b64 [%r2], 1;
@%p1 fence.mbarrier_init.release.cluster;
bar.sync 0;
L: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 128, [%r2];
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], %r5;
@!%p2 bra W;
ld.shared.b32 %r6, [%r4];
bar.sync 0;
add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 2; @%p3 bra L;
ret; }'''
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(128)) == 0
assert cuda.cuMemsetD8_v2(memory, 1, ctypes.c_size_t(128)) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), text) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k") == 0
arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(memory), ctypes.c_void_p))
assert cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None) == 0
print(cuda.cuCtxSynchronize())
"""
# The registers of two kernels, and the blocks of 128 threads of the first one that a multiprocessor holds.
REGISTERS = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, module, kernel, value, told = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(), []
text = b".version 8.0 .target sm_90a .address_size 64 .entry k() { ret; } .entry other() { ret; }"
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), text) == 0
for name in (b"other", b"k"):
    assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name) == 0
    assert cuda.cuFuncGetAttribute(ctypes.byref(value), 4, kernel) == 0
    told.append(value.value)
assert cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(value), kernel, 128, ctypes.c_size_t(0)) == 0
print(*told, value.value)
"""
# A ptxas that tells registers of a kernel, counts its calls, and takes nothing that has no target.
PTXAS = """#!/bin/sh
echo "$1 $2 $4 $5 $(grep -c '[.]target' "$3")" >> "${0%/*}/calls"
echo "ptxas info    : 0 bytes gmem"
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
echo "ptxas info    : Function properties for k"
echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
echo "ptxas info    : Used 168 registers, used 1 barriers"
"""
# The version of the driver, and the versions of PTX that it takes: 222 is CUDA_ERROR_UNSUPPORTED_PTX_VERSION.
VERSIONS = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
context, module, version = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
assert cuda.cuDriverGetVersion(ctypes.byref(version)) == 0
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
taken = []
for number in "7.0 7.8 8.0 8.4 8.5 8.6 8.8 9.0 9.1 9.4 10.2".split():
    text = f".version {number}\\n.target sm_50\\n.address_size 64\\n.entry k() {{ ret; }}"
    result = cuda.cuModuleLoadData(ctypes.byref(module), text.encode())
    assert result in (0, 222), result
    taken += [number] * (result == 0)
text = b".version 9.4\\n.target sm_90\\n.address_size 64\\n.entry k() { new.thing; ret; }"
assert cuda.cuModuleLoadData(ctypes.byref(module), text) == (218 if "9.4" in taken else 222)
print(version.value, *taken)
"""


def run(program, *words, limit=None, **environment):
    """`limit` is one of addresses, in MiB."""
    limited = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20))
    return subprocess.run([sys.executable, "-c", program, LIBRARY, *words], env={**os.environ, **environment},
                          capture_output=True, text=True, check=False, preexec_fn=limited)


class Environment(unittest.TestCase):
    def test_a_driver_is_imitated(self):
        everything = "7.0 7.8 8.0 8.4 8.5 8.6 8.8 9.0 9.1 9.4 10.2".split()
        for named, version, newest in (("", 13000, "10.2"), ("13.0", 13000, "9.0"), ("13.1", 13010, "9.1"),
                                       ("12.9", 12090, "8.8"), ("12.6", 12060, "8.5"), ("12.4", 12040, "8.4"),
                                       ("11.8", 11080, "7.8")):
            done = run(VERSIONS, **({"WARPMARK_CPU_DRIVER": named} if named else {}))
            taken = everything[:everything.index(newest) + 1]
            self.assertEqual(done.stdout.split(), [str(version), *taken], named + done.stderr)
        for wrong in ("10.2", "13", "thirteen", "12.10"):
            done = run(VERSIONS, WARPMARK_CPU_DRIVER=wrong)
            self.assertIn("WARPMARK_CPU_DRIVER", done.stderr)
            self.assertEqual(done.stdout.split()[0], "13000")

    def test_every_variable_is_in_the_page(self):
        names = set(re.findall(rb"WARPMARK_CPU_[A-Z_]+", pathlib.Path(LIBRARY).read_bytes()))
        self.assertGreater(len(names), 5)
        page = pathlib.Path(PAGE).read_text(encoding="utf-8")
        # A list of names, because assertIn would print the whole page.
        self.assertEqual([name for name in sorted(map(bytes.decode, names)) if f"| `{name}` |" not in page], [])

    def test_a_timeout_ends_an_endless_kernel(self):
        done = run(ENDLESS, WARPMARK_CPU_TIMEOUT="0.2", WARPMARK_CPU_REPORT="stderr")
        self.assertEqual(done.stdout, "702\n", done.stderr)
        self.assertIn("waits at barrier 0", done.stderr.replace("threads wait at", "threads waits at"))

    def test_the_compute_capability_decides_what_is_taken(self):
        for given, taken in (("", "75 80 90 90a"), ("9.0", "75 80 90 90a"), ("8.6", "75 80"), ("10.0", "75 80 90 100 100a 100f"),
                             ("10.3", "75 80 90 100 100f 103 103f"), ("12.1", "75 80 90 100 103 120 120f")):
            done = run(TARGETS, WARPMARK_CPU_CAPABILITY=given)
            self.assertEqual((done.stdout, done.stderr), (taken + "\n", ""), given)

    def test_the_memory_is_an_option(self):
        report = "5368709120 bytes were asked for, and 4294967296 of the device's 4294967296 are free"
        done = run(MEMORY, WARPMARK_CPU_REPORT="stderr")
        self.assertEqual(done.stdout, "4096 2 2 2\n")
        self.assertEqual(done.stderr.count(report), 1, done.stderr)
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", done.stderr)
        done = run(MEMORY, WARPMARK_CPU_REPORT="stderr", WARPMARK_CPU_MEMORY="11G")
        self.assertEqual(done.stdout, "11264 0 0 2\n", done.stderr)
        self.assertEqual(run(MEMORY, WARPMARK_CPU_MEMORY="512M").stdout, "512 2 2 2\n")

    def test_the_memory_fits_into_a_limit_of_addresses(self):
        """As of ulimit -v: a context maps twice what its memory may need, and the program needs some, too."""
        for limit, most in ((16 << 10, 2 << 10), (4 << 10, 512), (1 << 10, 64)):
            done = run(MEMORY, limit=limit)
            self.assertEqual(done.stdout.split()[1:], ["2", "2", "2"], done.stderr)
            self.assertTrue(64 <= int(done.stdout.split()[0]) <= most, done.stdout)
        # Memory that was asked for is as much, or nothing.
        self.assertEqual(run(MEMORY, limit=16 << 10, WARPMARK_CPU_MEMORY="3G").stdout, "3072 2 2 2\n")
        done = run(MEMORY.replace("== 0\nassert cuda.cuMemGetInfo", "== 2; sys.exit()\nassert cuda.cuMemGetInfo"), limit=4 << 10, WARPMARK_CPU_MEMORY="4G")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_copies_that_overlap_are_a_warning(self):
        for kind, call in (("none", ""), ("call", "cuMemcpyDtoD_v2"), ("unified", "cuMemcpy"), ("stream", "cuMemcpyDtoDAsync_v2"), ("rows", "cuMemcpy2D_v2")):
            done = run(OVERLAPS, kind, WARPMARK_CPU_REPORT="stderr", WARPMARK_CPU_CHECK="memory", WARPMARK_CPU_ERROR_EXITCODE="9")
            self.assertEqual(done.returncode, 0, done.stderr)
            said = "Warning: %s writes bytes that it reads" % call
            (self.assertIn if call else self.assertNotIn)(said if call else "Warning", done.stderr, kind)
        self.assertNotIn("Warning", run(OVERLAPS, "call", WARPMARK_CPU_REPORT="stderr", WARPMARK_CPU_CHECK="none").stderr)

    def test_constants_have_a_size(self):
        self.assertEqual(run(CONSTANTS).stdout, "92\n")

    def test_registers_are_those_of_a_ptxas_that_is_asked_once(self):
        self.assertEqual(run(REGISTERS).stdout, "32 32 16\n")
        with tempfile.TemporaryDirectory() as folder:
            ptxas = pathlib.Path(folder, "ptxas")
            ptxas.write_text(PTXAS)
            ptxas.chmod(0o755)
            places = {"WARPMARK_CPU_REGISTERS": str(ptxas), "WARPMARK_CACHE_DIR": folder}
            for _ in range(2):
                done = run(REGISTERS, **places)
                self.assertEqual((done.stdout, done.stderr), ("32 168 3\n", ""))
            calls = pathlib.Path(folder, "calls")
            self.assertEqual(calls.read_text(), "-v -arch=sm_90a -o /dev/null 1\n")
            ptxas.write_text("#!/bin/sh\necho what is this\nexit 1\n")
            done = run(REGISTERS, **places)
            self.assertEqual((done.stdout, done.stderr),
                             ("32 32 16\n", f"WARPMARK_CPU_REGISTERS: {ptxas} gives no registers: what is this\n"))
            ptxas.unlink()
            self.assertIn("it does not start", run(REGISTERS, **places).stderr)

    def test_copies_over_what_was_read_behind_a_barrier(self):
        for more in ({}, {"WARPMARK_CPU_PROXIES": "strict"}):
            done = run(PROXIES, WARPMARK_CPU_CHECK="race", WARPMARK_CPU_REPORT="stderr", **more)
            self.assertEqual(done.stdout, "0\n", done.stderr)
            self.assertEqual("RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)" in done.stderr, bool(more), done.stderr)

    def test_values_that_cannot_be_read_are_reported_and_ignored(self):
        for name, wrong in (("TIMEOUT", "soon"), ("TIMEOUT", "-1"), ("TIMEOUT", "1s"), ("WORKERS", "two"),
                            ("DEVICES", "1x"), ("DEVICES", "-1"), ("SCHEDULE_SEED", "0x1"), ("CAPABILITY", "90"),
                            ("CAPABILITY", "9.x"), ("CAPABILITY", "4.0"), ("CAPABILITY", "-9.0"), ("CAPABILITY", "9.00"),
                            ("MEMORY", "4"), ("MEMORY", "0G"), ("MEMORY", "4g"), ("MEMORY", "2000G"), ("MEMORY", "63M"), ("PROXIES", "on")):
            done = run(COUNT, **{"WARPMARK_CPU_" + name: wrong})
            self.assertEqual(done.stdout, "1\n", done.stderr)
            self.assertRegex(done.stderr, f'^WARPMARK_CPU_{name}: "{wrong}" is not a .*; ignored\n$')
        self.assertEqual(run(COUNT, WARPMARK_CPU_DEVICES="3", WARPMARK_CPU_TIMEOUT="60").stderr, "")


if __name__ == "__main__":
    unittest.main()
