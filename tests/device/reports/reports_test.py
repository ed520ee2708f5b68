#!/usr/bin/env python3
"""Reports of the CPU device on mistakes: as JSON, and as text that reads as compute-sanitizer's does.

    reports_test.py LIBRARY COMPILE_CORPUS [unittest's arguments]

Each mistake is made by a process of its own, since text goes where the environment said when the library was loaded. The text is read by the
forms of compute-sanitizer's manual alone. Exit status: unittest's, 77 if there is no NVRTC or no NumPy.
"""
import ctypes
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
import unittest
from ctypes import byref, c_size_t, c_uint64, c_void_p

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "catalogue"))
try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
try:
    import jsonschema
except ImportError:
    jsonschema = None
import driver
from corpus import compile_files
from extension import extension_of, reports_of

SOURCE = os.path.join(HERE, "mistakes.cu")
with open(SOURCE, encoding="utf-8") as file:
    LINES = {match[1]: number for number, line in enumerate(file, 1) for match in [re.search(r"// @(\w+)", line)] if match}
LABEL = False
with open(os.path.join(HERE, "../../../schema/report.json"), encoding="utf-8") as file:
    SCHEMA = json.load(file)


# --- the program that makes mistakes


class Client:
    def __init__(self, library, ptx):
        self.device = driver.Device(library)
        self.extension = extension_of(self.device)
        with open(ptx, encoding="utf-8") as file:
            self.module = self.device.module(file.read())

    def buffer(self, like, name=None, write=True):
        made = driver.Buffer(self.device, like)
        if write:
            made.write(like)
        if name and LABEL:
            self.extension.label(None, made.address, like.nbytes, name.encode(), like.dtype.name.encode())
        return made

    def run(self, kernel, threads, *arguments):
        driver.launch(self.device, self.module.function(kernel), 1, threads, list(arguments))
        try:
            self.device.synchronize()
        except driver.DriverError:
            pass

    def twice(self):
        self.buffer(np.zeros(4, np.float32))
        self.run("twice", 5, self.buffer(np.zeros(5, np.float32)), self.buffer(np.zeros(10, np.float32), "data"), np.int32(10))

    def unrolled(self):
        self.run("unrolled", 8, self.buffer(np.zeros(8, np.int32), "out"))

    def neighbours(self):
        self.run("neighbours", 8, self.buffer(np.zeros(8, np.float32)), self.buffer(np.zeros(8, np.float32)))

    def agree(self, launches):
        out = self.buffer(np.zeros(8, np.int32))
        for _ in range(launches):
            self.run("agree", 64, out)

    def misaligned(self, which):
        self.run("misaligned", 8, self.buffer(np.zeros(8, np.int32)), np.int32(which))

    def overflow(self):
        self.run("overflow", 8, self.buffer(np.zeros(8, np.int32)), np.int32(1000000))

    def frees(self, which):
        self.run("frees", 8, self.buffer(np.zeros(8, np.int32)), np.int32(which))

    def races(self):
        self.run("races", 64, self.buffer(np.zeros(64, np.int32)))

    def unset(self):
        self.run("unset", 32, self.buffer(np.zeros(32, np.int32)), self.buffer(np.zeros(32, np.int32), "in", write=False))

    def several(self):
        self.run("several", 64, self.buffer(np.zeros(64, np.int32)), self.buffer(np.zeros(64, np.int32), write=False))

    def apart(self):
        self.run("apart", 64, self.buffer(np.zeros(64, np.int32)))

    def correct(self):
        buffer = self.buffer(np.zeros(8, np.int32))
        self.run("correct", 8, buffer)
        buffer.free()

    def free(self, call, *arguments):
        return getattr(self.device.library, call)(*arguments)

    def wrong_frees(self):
        first, second = self.buffer(np.zeros(400, np.int32)), self.buffer(np.zeros(100, np.int32))
        first.free()
        codes = [self.free("cuMemFree_v2", c_uint64(first.address)), self.free("cuMemFree_v2", c_uint64(second.address + 16)),
                 self.free("cuMemFree_v2", c_uint64(0x1234)), self.free("cuMemFreeAsync", c_uint64(second.address + 4), None),
                 self.free("cuMemFreeHost", c_void_p(0x1000))]
        assert all(codes), codes

    def refused_calls(self):
        library, made = self.device.library, [self.buffer(np.zeros(100, np.int32)) for _ in range(3)]
        host, stream = (ctypes.c_char * 4096)(), c_void_p()
        self.device.call("cuStreamCreate", byref(stream), 0)
        first, second, freed = (c_uint64(buffer.address) for buffer in made)
        made[2].free()
        after, odd = c_uint64(first.value + 400), c_uint64(first.value + 2)
        box = driver.Copy3D(srcMemoryType=1, srcHost=ctypes.addressof(host), srcPitch=16, dstMemoryType=2, dstDevice=second.value,
                              dstPitch=160, WidthInBytes=16, Height=4, Depth=1)
        codes = [library.cuMemcpyHtoD_v2(first, host, c_size_t(404)), library.cuMemcpyDtoH_v2(host, odd, c_size_t(400)),
                 library.cuMemcpyDtoD_v2(second, first, c_size_t(500)), library.cuMemcpyHtoDAsync_v2(after, host, c_size_t(4), stream),
                 library.cuMemcpyHtoD_v2(freed, host, c_size_t(4)), library.cuMemsetD8Async(freed, 1, c_size_t(4), None),
                 library.cuMemsetD32_v2(second, 0, c_size_t(101)), library.cuMemsetD32_v2(odd, 0, c_size_t(10)),
                 library.cuMemcpy3D_v2(byref(box)), library.cuMemsetD2D8_v2(first, c_size_t(8), 1, c_size_t(16), c_size_t(2)),
                 library.cuMemcpyDtoH_v2(host, c_uint64(0), c_size_t(4))]
        function = self.module.function("correct")
        codes.append(library.cuLaunchKernel(function, 1, 1, 1, 2000, 1, 1, 0, None, None, None))
        assert codes == [1] * len(codes), codes

    def expected_errors(self):
        """Errors that programs provoke to see whether they get them, and calls that fail because a launch has."""
        library, buffer, function = self.device.library, self.buffer(np.zeros(100, np.int32)), c_void_p()
        host, address, number = (ctypes.c_char * 64)(), c_uint64(), ctypes.c_int()
        codes = [library.cuModuleGetFunction(byref(function), self.module.handle, b"nobody"),
                 library.cuMemAlloc_v2(byref(address), c_size_t(1 << 40)), library.cuDeviceGet(byref(ctypes.c_int()), 77),
                 library.cuPointerGetAttribute(byref(address), 1, c_uint64(ctypes.addressof(host))),
                 library.cuDeviceGetAttribute(byref(number), 100000, self.device.ordinal)]
        assert all(codes), codes
        assert library.cuMemcpyHtoD_v2(c_uint64(buffer.address + 400), host, c_size_t(0)) == 0
        self.run("overflow", 8, buffer, np.int32(1000000))
        codes = [library.cuMemcpyDtoH_v2(host, c_uint64(buffer.address), c_size_t(64)),
                 library.cuMemsetD8_v2(c_uint64(buffer.address), 0, c_size_t(4000))]
        assert all(code > 1 for code in codes), codes

    def refused(self):
        text = (".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .texref t) {\n.reg .b32 %r<6>;\n"
                "tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [t, {%r5}];\nret;\n}\n")
        function, module = c_void_p(), self.device.module(text)
        for _ in range(2):
            code = self.device.library.cuModuleGetFunction(byref(function), module.handle, b"k")
            assert code == 801, code

    def refused_images(self):
        """Each is tried twice."""
        library, module = self.device.library, c_void_p()
        head = ".version %s\n.target %s\n.address_size 64\n.visible .entry k() {\n%s ret;\n}\n"
        text = (head % ("9.0", "sm_90", "")).encode()
        late = (head % ("9.0", "sm_100", "")).encode()
        images = [(head % ("9.0", "sm_90", "oops;")).encode(), (head % ("9.1", "sm_90", "")).encode(), late,
                  b"\x7fELF" + bytes(60), b"no program", fatbin(text, packed=True), fatbin(late, number=100)]
        codes = [library.cuModuleLoadData(byref(module), image) for image in images * 2]
        assert codes == [218, 222, 218, 209, 200, 200, 209] * 2, codes
        assert library.cuLibraryLoadData(byref(module), images[1], None, None, 0, None, None, 0) == 222
        link = c_void_p()
        self.device.call("cuLinkCreate_v2", 0, None, None, byref(link))
        codes = [library.cuLinkAddData_v2(link, 1, image, c_size_t(len(image)), b"a.ptx", 0, None, None)
                 for image in ((head % ("9.0", "sm_90", "{")).encode(), *images[1:3])]
        assert codes == [218, 222, 218], codes
        assert library.cuLinkAddData_v2(link, 0, images[3], c_size_t(64), b"a.cubin", 0, None, None) == 801
        for _ in range(2):
            assert library.cuGetExportTable(byref(module), bytes(16)) == 801

    def mapped_leaks(self):
        library = self.device.library
        # CUmemAllocationProp: pinned memory of device 0, for no other process.
        prop = struct.pack("<iiiiQ8x", 1, 0, 1, 0, 0)
        at, held, mapped, alone = c_uint64(), c_uint64(), c_uint64(), c_uint64()
        unit = 2 << 20
        for handle in held, mapped, alone:
            assert library.cuMemCreate(byref(handle), c_size_t(unit), prop, c_uint64(0)) == 0
        assert library.cuMemAddressReserve(byref(at), c_size_t(3 * unit), c_size_t(0), c_uint64(0), c_uint64(0)) == 0
        for place, handle in (0, held), (1, mapped):
            assert library.cuMemMap(c_uint64(at.value + place * unit), c_size_t(unit), c_size_t(0), handle, c_uint64(0)) == 0
        assert library.cuMemRelease(mapped) == 0

    def leaks(self):
        context, current = c_void_p(), c_void_p()
        library = self.device.library
        self.device.call("cuCtxGetCurrent", byref(current))
        assert library.cuCtxCreate_v2(byref(context), 0, self.device.ordinal) == 0
        self.buffer(np.zeros(256, np.float32)).free()
        self.buffer(np.zeros(10, np.float32))
        host = c_void_p()
        self.device.call("cuMemAllocHost_v2", byref(host), c_size_t(100))
        assert library.cuCtxDestroy_v2(context) == 0
        self.device.call("cuCtxSetCurrent", current)
        self.frees(2)  # leaks 64 bytes of the device's heap, and a buffer of 32


def fatbin(text, packed=False, number=90):
    """One with a single PTX, as nvcc lays it out."""
    text += bytes(-len(text) % 8)
    entry = struct.pack("<HHIQIIHHIIIQQQQQ", 1, 0x101, 80, len(text), 9 if packed else 0, 64, 0, 9, number, 0, 0,
                        0x8011 if packed else 0x11, 0, 0, 72, 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text


def client(library, ptx, name, *arguments):
    one = Client(library, ptx)
    getattr(one, name)(*map(int, arguments))
    return json.dumps(reports_of(one.extension))


# --- what is reported


def be_client(label, words, environment, to):
    """Makes a mistake in this process, which has no library yet, and ends it as a program ends."""
    global LABEL
    LABEL, status = label, 1
    os.environ.update(environment)
    signal.alarm(60)
    try:
        with open(to, "w", encoding="utf-8") as file:
            file.write(client(LIBRARY, PTX, *words))
        status = 0
    except Exception:  # noqa: BLE001  the parent goes on
        traceback.print_exc()
    ctypes.CDLL(None).exit(status)


def run(*words, label=False, **environment):
    """The reports and the text of a client, a copy of this process: another start would load NumPy again."""
    with tempfile.TemporaryDirectory() as folder:
        path, to = os.path.join(folder, environment.pop("name", "text")), os.path.join(folder, "reports")
        child = os.fork()
        if child == 0:
            be_client(label, words, {"WARPMARK_CPU_REPORT": path, "WARPMARK_CPU_CHECK": "all", **environment}, to)
        _, status = os.waitpid(child, 0)
        assert status == 0, "the client ended with %d" % status
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
        with open(to, encoding="utf-8") as file:
            reports = json.load(file)
        if jsonschema is not None:
            for report in reports:
                jsonschema.validate(report, SCHEMA)
        return reports, text


HEADS = [
    r"Invalid __(?P<space>\w+)__ (?P<access>read|write) of size (?P<size>[\d,]+) bytes$",
    r"(?P<severity>Error|Warning): Race reported between (?P<access>Write|Read) access at (?P<place>.+)\+0x[0-9a-f]+ in (?P<file>.+):(?P<line>\d+)$",
    r"Uninitialized __(?P<space>\w+)__ memory read of size (?P<size>[\d,]+) bytes$",
    r"Barrier error detected\. (?P<sync>Divergent thread\(s\) in block|Divergent thread\(s\) in warp|Invalid arguments)\.?$",
    r"Malloc/Free error encountered : (?P<free>Double free|Invalid pointer to free|Heap corruption)$",
    r"Leaked (?P<leaked>[\d,]+) bytes at 0x[0-9a-f]+$",
    r"Program hit (?P<code>CUDA_\w+) \(error (?P<number>\d+)\) due to \"(?P<due>[^\"]+)\" on CUDA API call to (?P<call>\w+)\.$",
]
MORE = [
    r"at (?P<kernel>.+)\+0x[0-9a-f]+ in (?P<file>.+):(?P<line>\d+)$",
    r"by thread \((?P<thread>\d+,\d+,\d+)\) in block \((?P<block>\d+,\d+,\d+)\)$",
    r"(?:Address|Access to|Access at) (?P<address>0x[0-9a-f]+) is (?P<what>out of bounds|misaligned)$",
    r"and is (?P<distance>\d+) bytes (?P<side>before|after) the nearest allocation at 0x[0-9a-f]+ of size (?P<near>[\d,]+) bytes$",
    r"and is inside the nearest allocation at 0x[0-9a-f]+ of size (?P<inside>[\d,]+) bytes",
    r"and (?P<other_access>Write|Read) access at (?P<other_place>.+)\+0x[0-9a-f]+ in (?P<other_file>.+):(?P<other_line>\d+) \[(?P<hazards>\d+) hazards\]$",
]


def parse(text):
    """The errors of a text, as anything that reads compute-sanitizer would have them; and its summaries."""
    errors, summaries = [], []
    for line in text.splitlines():
        assert line.startswith("========= "), line
        line = line[len("========= "):]
        if "SUMMARY" in line:
            summaries.append(line)
            continue
        if not line.startswith(" "):
            errors.append({"head": line})
        for form in MORE if line.startswith(" ") else HEADS:
            match = re.match(form, line.strip())
            if match and errors:
                for key, value in match.groupdict().items():
                    errors[-1].setdefault(key, value)
    return errors, summaries


class Json(unittest.TestCase):
    def test_calls_that_were_inlined(self):
        reports, _ = run("twice", label=True)
        reports = [r for r in reports if r["kind"] == "illegal_address"]
        self.assertEqual(len(reports), 2)
        for report, call in zip(reports, ("first", "second")):
            self.assertEqual((report["line"], report["function"], report["count"]), (LINES["load"], "tools::load", 5))
            self.assertEqual([(at["line"], at.get("function")) for at in report["inlined_at"]],
                             [(LINES["more"], "more"), (LINES[call], None)])
            self.assertIn("mistakes.cu:%d (inlined at" % LINES["load"], report["message"])
            self.assertIn("mistakes.cu:%d)" % LINES[call], report["message"])
        self.assertEqual([r["index"] for r in reports], [10, 20])
        self.assertEqual(reports[0]["allocation"]["number"], 3)
        self.assertEqual(reports[0]["allocation"]["by"], "cuMemAlloc_v2")

    def test_copies_of_an_unrolled_loop_are_one_mistake(self):
        reports, _ = run("unrolled", label=True)
        self.assertEqual([(r["line"], r["count"], r["thread"], r["index"]) for r in reports], [(LINES["unrolled"], 32, [0, 0, 0], 8)])

    def test_two_mistakes_of_a_line_are_two(self):
        reports, _ = run("neighbours")
        self.assertEqual([(r["line"], r["thread"][0], r["allocation"]["side"]) for r in reports],
                         [(LINES["neighbours"], 0, "before"), (LINES["neighbours"], 7, "after")])
        self.assertIn("the nearest allocation of 32 bytes (allocation 2, by cuMemAlloc_v2)", reports[1]["message"])

    def test_misaligned_in_each_space_by_generic_addresses(self):
        for which, space in enumerate(("global", "shared", "local")):
            reports, text = run("misaligned", which)
            self.assertEqual([(r["kind"], r["space"], r["line"], r["thread"]) for r in reports],
                             [("misaligned_address", space, LINES["read_int"], [3, 0, 0])], space)
            self.assertEqual([(e["space"], e["what"]) for e in parse(text)[0]], [(space, "misaligned")])

    def test_the_gravest_comes_first(self):
        # In the order of time it is the other way about.
        reports, _ = run("several")
        self.assertEqual([(r["kind"], r.get("severity", "error"), r["line"]) for r in reports],
                         [("illegal_address", "error", LINES["several_outside"]), ("uninitialised", "error", LINES["several_unset"]),
                          ("race", "warning", LINES["harmless"])])

    def test_stack_overflow(self):
        reports, _ = run("overflow")
        self.assertEqual([(r["kind"], r["thread"]) for r in reports], [("stack_overflow", [5, 0, 0])])

    def test_what_is_not_implemented(self):
        _, text = run("refused")
        self.assertIn("Not implemented on the CPU device\n", text)
        self.assertIn("PTX line 6", text)
        self.assertIn("tex.1d.v4.s32.s32", text)
        self.assertEqual(text.count("Not implemented"), 1, "it is reported once")
        _, text = run("refused", name="report.jsonl")
        self.assertEqual(json.loads(text)["kind"], "unsupported_instruction")

    def test_images_that_are_not_loaded(self):
        reports, text = run("refused_images", WARPMARK_CPU_DRIVER="13.0")
        self.assertEqual(reports, [])  # who drains reports has the logs, too
        errors, summaries = parse(text)
        load, link = "cuModuleLoadData", "cuLinkAddData"
        self.assertEqual([(e["call"], e["number"]) for e in errors],
                         [(load, "218"), (load, "222"), (load, "218"), (load, "209"), (load, "200"), (load, "200"), (load, "209"),
                          (link, "218"), (link, "222"), (link, "218"), (link, "801"), ("cuGetExportTable", "801")])
        for words in ("PTX line 5: in kernel 'k': 'oops' is no instruction", ".version 9.1 is beyond 9.0", "code for sm_100 needs compute capability 10.0",
                      "a cubin holds code for a GPU", "the image is no PTX", "which this device would run, is compressed, and damaged",
                      "the fatbin has PTX for sm_100, and none that runs on", "a.ptx, ", "a.cubin: ", "NVIDIA's own runtime library"):
            self.assertIn(words, text)
        self.assertEqual(summaries, ["ERROR SUMMARY: 12 errors"])
        _, text = run("refused_images", name="report.jsonl", WARPMARK_CPU_DRIVER="13.0")
        self.assertEqual([json.loads(line)["kind"] for line in text.splitlines()], ["api_error"] * 12)

    def test_wrong_frees(self):
        reports, _ = run("wrong_frees")
        self.assertEqual([(r["kind"], r["call"]) for r in reports],
                         [("double_free", "cuMemFree_v2"), ("invalid_free", "cuMemFree_v2"), ("invalid_free", "cuMemFree_v2"),
                          ("invalid_free", "cuMemFreeAsync"), ("invalid_free", "cuMemFreeHost")])
        self.assertEqual((reports[0]["allocation"]["bytes"], reports[0]["allocation"]["number"]), (1600, 1))
        self.assertIn("freed before: allocation 1, 1600 bytes, by cuMemAlloc_v2", reports[0]["message"])
        self.assertIn("16 bytes inside allocation 2, 400 bytes", reports[1]["message"])
        self.assertEqual(run("wrong_frees", WARPMARK_CPU_CHECK="none")[0], [])

    def test_refused_calls(self):
        reports, text = run("refused_calls")
        self.assertEqual({(r["kind"], r["severity"], r["code"]) for r in reports}, {("api_error", "error", "CUDA_ERROR_INVALID_VALUE")})
        self.assertEqual([r["call"] for r in reports],
                         ["cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoD_v2", "cuMemsetD8Async",
                          "cuMemsetD32_v2", "cuMemsetD32_v2", "cuMemcpy3D_v2", "cuMemsetD2D8_v2", "cuMemcpyDtoH_v2", "cuLaunchKernel"])
        for report, (access, size, distance, side, freed, words) in zip(reports, [
                ("write", 404, 1, "after", False, "of which 4 bytes are past the end of allocation 1, 400 bytes, by cuMemAlloc_v2"),
                ("read", 400, 1, "after", False, "of which 2 bytes are past the end of allocation 1"),
                ("read", 500, 1, "after", False, "of which 100 bytes are past the end of allocation 1"),
                ("write", 4, 1, "after", False, "1 byte after allocation 1"),
                ("write", 4, 0, "inside", True, "in memory that was freed: allocation 3"),
                ("write", 4, 0, "inside", True, "in memory that was freed: allocation 3"),
                ("write", 404, 1, "after", False, "of which 4 bytes are past the end of allocation 2"),
                (None, None, None, None, False, "is not a multiple of the elements' 4 bytes"),
                ("write", 496, 1, "after", False, "of which 96 bytes are past the end of allocation 2"),
                (None, None, None, None, False, "rows of 16 bytes do not fit a pitch of 8 bytes"),
                (None, None, None, None, False, "the device's address is null"),
                (None, None, None, None, False, "block (2000, 1, 1) is not within 1 and (1024, 1024, 64)")]):
            allocation = report.get("allocation", {})
            self.assertEqual((report.get("access"), report.get("bytes"), allocation.get("distance"), allocation.get("side"),
                              allocation.get("freed", False)), (access, size, distance, side, freed), report)
            self.assertIn(words, report["message"])
            self.assertIn("%s is refused: " % report["call"], report["message"])
        errors, summaries = parse(text)
        self.assertEqual([(e["code"], e["number"], e["due"], e["call"]) for e in errors],
                         [("CUDA_ERROR_INVALID_VALUE", "1", "invalid argument", r["call"]) for r in reports])
        self.assertEqual(summaries, ["ERROR SUMMARY: %d errors" % len(reports)])
        self.assertEqual(run("refused_calls", WARPMARK_CPU_CHECK="none")[0], [])

    def test_errors_that_programs_expect_are_no_mistakes(self):
        reports, _ = run("expected_errors")
        self.assertEqual([r["kind"] for r in reports], ["stack_overflow"])

    def test_a_file_of_json_lines(self):
        reports, text = run("unrolled", name="reports.jsonl")
        self.assertEqual([json.loads(line) for line in text.splitlines()], reports)


class Text(unittest.TestCase):
    def one(self, *words, **environment):
        errors, summaries = parse(run(*words, **environment)[1])
        self.assertEqual(len(errors), 1, errors)
        return errors[0], summaries

    def test_out_of_bounds(self):
        error, summaries = self.one("unrolled")
        self.assertEqual({key: error[key] for key in ("space", "access", "size", "kernel", "line", "thread", "block", "what", "distance", "side", "near")},
                         {"space": "global", "access": "write", "size": "4", "kernel": "unrolled", "line": str(LINES["unrolled"]), "thread": "0,0,0",
                          "block": "0,0,0", "what": "out of bounds", "distance": "1", "side": "after", "near": "32"})
        self.assertTrue(error["file"].endswith("mistakes.cu"))
        self.assertEqual(summaries, ["ERROR SUMMARY: 1 error"])

    def test_calls_that_were_inlined(self):
        text = run("twice")[1]
        self.assertEqual(re.findall(r"inlined at .*:(\d+)$", text, re.MULTILINE),
                         [str(LINES[name]) for name in ("more", "first", "more", "second")])
        self.assertEqual(text.count("allocation 3, 40 bytes, by cuMemAlloc_v2"), 2)

    def test_race(self):
        # The second warp reads what the first has written, and writes what that has read: one hazard in both orders.
        errors, summaries = parse(run("races")[1])
        sides = [("Write", str(LINES["race_write"])), ("Read", str(LINES["race_read"]))]
        self.assertEqual([(e["severity"], (e["access"], e["line"]), (e["other_access"], e["other_line"]), e["hazards"]) for e in errors],
                         [("Error", sides[1], sides[0], "64")])
        self.assertEqual(summaries, ["RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)", "ERROR SUMMARY: 1 error"])

    def test_a_warning_of_later_launches_is_counted_and_not_shown_again(self):
        for launches, end in ((1, []), (3, ["WARNING SUMMARY: 2 warnings of later launches as above"]), (2, ["WARNING SUMMARY: 1 warning of later launches as above"])):
            reports, text = run("agree", launches)
            self.assertEqual([(r["line"], r["severity"]) for r in reports], [(LINES["agree"], "warning")] * launches)
            self.assertEqual(len(parse(text)[0]), 1)
            self.assertEqual(re.findall(r"========= (.*SUMMARY.*)", text),
                             ["RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)", *end, "ERROR SUMMARY: 0 errors"])

    def test_uninitialised(self):
        error, _ = self.one("unset")
        self.assertEqual((error["space"], error["size"], error["line"], error["thread"]), ("global", "4", str(LINES["unset_read"]), "0,0,0"))

    def test_barrier(self):
        error, _ = self.one("apart")
        self.assertEqual(error["sync"], "Divergent thread(s) in block")

    def test_the_devices_heap(self):
        for which, word in enumerate(("Double free", "Invalid pointer to free")):
            error, _ = self.one("frees", which)
            self.assertEqual((error["free"], error["line"], error["thread"]), (word, str(LINES["frees"]), "2,0,0"))

    def test_calls(self):
        errors, summaries = parse(run("wrong_frees")[1])
        self.assertEqual([(e["code"], e["number"], e["call"]) for e in errors],
                         [("CUDA_ERROR_INVALID_VALUE", "1", name)
                          for name in ["cuMemFree_v2"] * 3 + ["cuMemFreeAsync", "cuMemFreeHost"]])
        self.assertEqual(summaries, ["ERROR SUMMARY: 5 errors"])

    def test_leaks_if_asked(self):
        errors, summaries = parse(run("leaks", WARPMARK_CPU_CHECK="memory,leak")[1])
        self.assertEqual([e["leaked"] for e in errors], ["40", "100", "32", "64"])
        self.assertEqual(summaries, ["LEAK SUMMARY: 236 bytes leaked in 4 allocations", "ERROR SUMMARY: 4 errors"])
        self.assertEqual(parse(run("leaks")[1]), ([], ["ERROR SUMMARY: 0 errors"]))

    def test_leaks_of_mapped_memory(self):
        text = run("mapped_leaks", WARPMARK_CPU_CHECK="memory,leak")[1]
        errors, summaries = parse(text)
        self.assertEqual([e["leaked"] for e in errors], ["2097152"] * 3 + ["6291456"])
        self.assertEqual(summaries, ["LEAK SUMMARY: 6291456 bytes leaked in 3 allocations", "ERROR SUMMARY: 4 errors"])
        for sentence in ("handle 1 of cuMemCreate was not released (cuMemRelease)", "mapped by cuMemMap at 0x",
                         "address range 1 of cuMemAddressReserve, at 0x"):
            self.assertIn(sentence, text)
        lines = run("mapped_leaks", name="text.jsonl", WARPMARK_CPU_CHECK="memory,leak")[1].splitlines()
        self.assertEqual([json.loads(line)["kind"] for line in lines], ["leak"] * 4)
        if jsonschema is not None:
            for line in lines:
                jsonschema.validate(json.loads(line), SCHEMA)

    def test_nothing_is_said_of_what_is_right(self):
        self.assertEqual(run("correct", WARPMARK_CPU_CHECK="all,leak")[1],
                         "========= LEAK SUMMARY: 0 bytes leaked in 0 allocations\n========= ERROR SUMMARY: 0 errors\n")
        environment = {key: value for key, value in os.environ.items() if key != "WARPMARK_CPU_CHECK"}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "text")
            subprocess.run([sys.executable, "-B", __file__, LIBRARY, PTX, "--client", "correct"], check=True, timeout=60,
                           stdout=subprocess.DEVNULL, env={**environment, "WARPMARK_CPU_REPORT": path})
            self.assertEqual(os.path.getsize(path), 0)

    def test_an_unknown_check_lists_those_that_exist(self):
        done = subprocess.run([sys.executable, "-B", __file__, LIBRARY, PTX, "--client", "correct"], check=True, timeout=60, capture_output=True,
                              text=True, env={**os.environ, "WARPMARK_CPU_CHECK": "memory,races"})
        self.assertIn("unknown check \"races\"; known are memory, init, race, sync, leak", done.stderr)


if __name__ == "__main__":
    LIBRARY, PTX = sys.argv[1:3]
    if sys.argv[3:4] == ["--client"]:
        print(client(LIBRARY, PTX, *sys.argv[4:]))
        sys.exit(0)
    PTX = compile_files(PTX, "90:lines", [SOURCE])[0]["ptx"]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
