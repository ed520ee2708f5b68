# Libraries that lack a function: each one of the driver's and of the compiler's in turn, and the
# features that need an optional one.
import json
import pathlib
import re
import struct
import unittest

from faults import BUILD, EXHAUSTIVE, SOURCE, FaultTest

DRIVERS = BUILD / "tests/drivers"
HARNESS = SOURCE / "harness"


def driver_functions():
    """Symbol and whether it is required, as functions.def lists them."""
    text = (HARNESS / "driver/functions.def").read_text()
    found = re.findall(r'^DRIVER_FUNCTION\(\w+, "(\w+)",\s+(required|optional),', text, re.M)
    return {symbol: presence == "required" for symbol, presence in found}


def compiler_functions():
    text = (HARNESS / "compiler/nvrtc_functions.def").read_text()
    return re.findall(r"^NVRTC_FUNCTION\((\w+)\)", text, re.M)


def without(library, symbols):
    """The bytes of a shared library (ELF64) in which no lookup finds the symbols: their names in
    .dynstr, and so their hashes, are others."""
    data = bytearray(pathlib.Path(library).read_bytes())
    sections, = struct.unpack_from("<Q", data, 0x28)
    size, count, _ = struct.unpack_from("<HHH", data, 0x3A)
    strings = {}
    for index in range(count):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", data,
                                                                 sections + index * size)
        strings[index] = (kind, offset, length, link)
    _, _, _, link = next(section for section in strings.values() if section[0] == 11)  # SHT_DYNSYM
    _, offset, length, _ = strings[link]
    for symbol in symbols:
        at = data.index(b"\0%s\0" % symbol.encode(), offset, offset + length)
        data[at + 1:at + 2] = b"X"
    return bytes(data)


class Missing(FaultTest):
    def lacking(self, symbols, name="libwarpmark_lacking.so", source="libwarpmark_faulty.so"):
        """A folder with a copy of a library that lacks the symbols."""
        folder = self.folder / ("lacks%d" % next(self.numbers))
        folder.mkdir()
        (folder / name).write_bytes(without(DRIVERS / source, symbols))
        return folder

    def path(self, folder):
        return {"WARPMARK_PLUGIN_PATH": "%s:%s" % (folder, BUILD / "lib/warpmark")}


class Driver(Missing):
    def refused(self, words, done, what):
        self.assertEqual((done.code, done.calls), (3, []), what)
        self.assertIn(words, done.errors, what)
        self.assertIn("hint: a driver for CUDA 12 or newer has them", done.errors, what)

    def test_each_required_function(self):
        required = [symbol for symbol, needed in driver_functions().items() if needed]
        self.assertGreater(len(required), 30)
        self.write("c.yaml", "warpmark: 1\ncheck: {suites: [suites], device: lacking}\n")

        def one(number, symbol):
            folder = self.lacking([symbol])
            words = "libwarpmark_lacking.so is no usable CUDA driver: it lacks " + symbol
            way = number // (1 if EXHAUSTIVE else 3) % 4
            if way == 0:
                done, what = self.check_faulty("", device="lacking", **self.path(folder))
                self.assertEqual(done.cases, [], what)
                self.refused(words, done, what)
            elif way == 1:
                done, what = self.check_faulty("", "--in-process", device="lacking",
                                               **self.path(folder))
                self.assertEqual(done.cases, [], what)
                self.refused(words, done, what)
            elif way == 2:
                done, what = self.run_faulty("", "run", "c.yaml", **self.path(folder))
                self.refused(words, done, what)
            else:
                done, what = self.run_faulty("", "devices", **self.path(folder))
                self.assertEqual((done.code, done.calls), (0, []), what)
                self.assertRegex(done.out, r"(?m)^cpu:0  Warpmark CPU device$", what)
                self.assertIn(words, done.out, what)
        self.sweep([lambda number=number, symbol=symbol: one(number, symbol)
                    for number, symbol in enumerate(required) if EXHAUSTIVE or number % 3 == 0])

    def test_all_that_is_missing_is_named(self):
        folder = self.lacking(["cuInit", "cuMemAlloc_v2", "cuLaunchKernel", "cuGraphLaunch"])
        words = "it lacks cuInit, cuMemAlloc_v2, cuLaunchKernel"
        done, what = self.check_faulty("", device="lacking", **self.path(folder))
        self.refused(words, done, what)
        self.assertNotIn("cuGraphLaunch", done.errors)
        done, what = self.run_faulty("", "doctor", **self.path(folder))
        self.assertIn(words, " ".join(done.out.split()), what)
        self.assertEqual(done.code, 0, what)
        done, what = self.run_faulty("", "devices", "--json", **self.path(folder))
        missing = {one["kind"]: one for one in json.loads(done.out)["missing"]}
        self.assertIn(words, missing["lacking"]["reason"], what)

    def test_the_gpu_driver(self):
        """An old libcuda.so.1: an error for `gpu`, and the reason why `auto` takes the other."""
        folder = self.lacking(["cuCtxCreate_v2"], name="libcuda.so.1")
        environment = {"LD_LIBRARY_PATH": str(folder)}
        words = "libcuda.so.1 is no usable CUDA driver: it lacks cuCtxCreate_v2"
        done, what = self.check_faulty("", device="gpu", **environment)
        self.refused(words, done, what)
        done, what = self.check_faulty("", device="auto", **environment)
        self.assertEqual(done.code, 0, what)
        self.assertIn(words, done.out + done.errors, what)

    def test_each_optional_function(self):
        """A case that does not need it passes, and the device's list is as long."""
        optional = [symbol for symbol, needed in driver_functions().items() if not needed]
        self.assertGreater(len(optional), 15)

        def one(symbol):
            folder = self.lacking([symbol])
            done, what = self.check_faulty("", device="lacking", **self.path(folder))
            self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)
            self.assertNotIn(symbol, done.calls, what)
        self.sweep([lambda symbol=symbol: one(symbol)
                    for symbol in (optional if EXHAUSTIVE else optional[::8])])
        folder = self.lacking(optional)
        for arguments in (["devices"], ["doctor"]):
            done, what = self.run_faulty("", *arguments, **self.path(folder))
            self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)
            self.assertIn("lacking", done.out, what)
        done, what = self.check_faulty("", device="lacking", **self.path(folder))
        self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)

    def without_optional(self, symbol, words, verdict, **suite):
        """The cases of a suite that needs the function: each says that the device cannot."""
        self.write_scale(axes="{n: [100, 101, 102]}", **suite)
        done, what = self.check_faulty("", device="lacking", **self.path(self.lacking([symbol])))
        self.assertEqual([case["verdict"] for case in done.cases], [verdict] * 3, what)
        self.assertEqual(done.out.count(words), 3, what)
        self.assertEqual((done.misuse, done.leaks), ([], []), what)

    def test_limits_without_their_function(self):
        for key in ("stack_bytes: 2048", "heap_mib: 16"):
            with self.subTest(key):
                self.without_optional(
                    "cuCtxSetLimit", "sets the stack or the heap, which Warpmark CPU device cannot",
                    "skipped", more="limits: {%s}\n" % key)

    def test_much_shared_memory_without_its_function(self):
        self.without_optional("cuFuncSetAttribute", "cuFuncSetAttribute", "failed",
                              launch="{block: 128, grid: \"ceil_div(n, 128)\", shared: 65536}")

    def test_linking_without_its_functions(self):
        self.write("suites/more.cu", "__device__ int more() { return 1; }\n")
        for symbol in ("cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy"):
            with self.subTest(symbol):
                self.without_optional(
                    symbol, "links several units, which Warpmark CPU device cannot", "skipped",
                    kernel="{file: k.cu, entry: k, link: [more.cu]}")


class Compiler(Missing):
    def test_each_function(self):
        real = re.search(r"NVRTC +[\d.]+ at (.*)", FaultTest.doctor).group(1)
        self.environment["WARPMARK_FAULTY_NVRTC_LIBRARY"] = real

        def one(number, symbol):
            folder = self.lacking([symbol], "libnvrtc.so", "libfaulty_nvrtc.so")
            words = "libnvrtc.so is no usable NVRTC: it lacks " + symbol
            environment = {"WARPMARK_NVRTC": str(folder / "libnvrtc.so")}
            if number // 3 % 3 == 2:
                done, what = self.run_faulty("", "lint", "suites", **environment)
            else:
                arguments = ["--in-process"] if number // 3 % 3 == 1 else []
                done, what = self.check_faulty("", *arguments, device="cpu", **environment)
                self.assertEqual(done.cases, [], what)
            self.assertEqual(done.code, 3, what)
            self.assertIn(words, done.out + done.errors, what)
        functions = compiler_functions()
        self.assertGreater(len(functions), 10)
        self.sweep([lambda number=number, symbol=symbol: one(number, symbol)
                    for number, symbol in enumerate(functions) if EXHAUSTIVE or number % 3 == 0])
        folder = self.lacking(functions[:2], "libnvrtc.so", "libfaulty_nvrtc.so")
        done, what = self.run_faulty("", "doctor",
                                     WARPMARK_NVRTC=str(folder / "libnvrtc.so"))
        self.assertEqual(done.code, 3, what)
        self.assertIn("it lacks " + ", ".join(functions[:2]), " ".join(done.out.split()), what)


if __name__ == "__main__":
    unittest.main()
