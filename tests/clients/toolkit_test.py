"""Programs that ask NVRTC or nvJitLink for a cubin, under warpmark-cpu: toolkit_test.py LAUNCHER NVRTC_H."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LAUNCHER, NVRTC_H = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
CALLS = pathlib.Path(__file__).with_name("toolkit_calls.py")
FOLDER = pathlib.Path(subprocess.run([LAUNCHER, "--print-path"], capture_output=True, text=True, check=True).stdout.strip())


def real_library(name="libnvrtc.so.13"):
    library = ctypes.CDLL(str(FOLDER / name))
    library.warpmark_nvrtc_library.restype = ctypes.c_char_p
    return (library.warpmark_nvrtc_library() or b"").decode()


class Toolkit(unittest.TestCase):
    def run_call(self, name, *arguments, **environment):
        done = subprocess.run([LAUNCHER, sys.executable, "-B", str(CALLS), name, *arguments], capture_output=True,
                              text=True, check=False, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def need_nvrtc(self):
        if not real_library():
            self.skipTest("no NVRTC 13 is on this machine")


class Nvrtc(Toolkit):
    def test_a_cubin_runs(self):
        self.need_nvrtc()
        self.assertEqual(self.run_call("cubin_runs"), "")  # the device reports nothing, NVRTC's own questions included

    def test_an_access_out_of_bounds_is_reported(self):
        self.need_nvrtc()
        report = self.run_call("out_of_bounds")
        self.assertRegex(report, r"Invalid __global__ (read|write) of size 4 bytes\n.*at scale\+\S+ in \S*a\.cu:1")

    def test_a_later_architecture_is_refused_with_a_sentence(self):
        self.need_nvrtc()
        self.assertIn("code for sm_120 needs compute capability 12.0", self.run_call("later_architecture"))

    def test_wrong_calls_get_the_real_answers(self):
        self.need_nvrtc()
        self.run_call("wrong_calls")

    def test_without_nvrtc_it_says_what_to_do_once(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "warpmark/cpu")
            copy.mkdir(parents=True)
            for library in ("nvrtc", "nvJitLink"):
                binary = (FOLDER / f"lib{library}.so.13").read_bytes()
                copy.joinpath(f"lib{library}.so.13").write_bytes(binary.replace(b"/usr/local/cuda", b"/nowhere/at/all"))
            environment = {name: value for name, value in os.environ.items() if not re.match(r"CUDA|WARPMARK|LD_", name)}
            done = subprocess.run([sys.executable, "-B", str(CALLS), "no_nvrtc"], capture_output=True, text=True, check=False,
                                  env={**environment, "LD_LIBRARY_PATH": str(copy)})
        if "AssertionError" in done.stderr and "libnvrtc.so.13 (of" not in done.stderr:
            self.skipTest("an NVRTC is in the loader's own folders")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("libnvrtc.so.13 (of warpmark-cpu): there is no other one (WARPMARK_NVRTC"), 1, done.stderr)

    def test_it_has_every_function_of_the_header(self):
        names = set(re.findall(r"^(?:nvrtcResult|const char \*)\s*(nvrtc\w+)\(", NVRTC_H.read_text(), re.M)) - {"nvrtcGetTypeName"}
        self.assertGreater(len(names), 20)
        for major in ("12", "13"):
            library = ctypes.CDLL(str(FOLDER / ("libnvrtc.so." + major)))
            self.assertEqual([name for name in names if not hasattr(library, name)], [])

    def test_a_program_linked_with_it_asks_for_the_real_version(self):
        if not shutil.which("cc") or not shutil.which("readelf"):
            self.skipTest("no cc or readelf")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "a.c")
            source.write_text("int nvrtcVersion(int *, int *);\nint main(void) { int a, b; return nvrtcVersion(&a, &b); }\n")
            subprocess.run(["cc", str(source), "-o", folder + "/a", str(FOLDER / "libnvrtc.so.13")], check=True)
            asked = subprocess.run(["readelf", "-V", "-d", folder + "/a"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(asked, r"NEEDED.*\[libnvrtc\.so\.13\]")
        self.assertRegex(asked, r"Name: libnvrtc\.so\.13 ")

    def test_what_opens_them_by_path_finds_them_open(self):
        self.need_nvrtc()
        self.run_call("open_with_the_device")


class NvJitLink(Toolkit):
    def test_two_ptx_texts(self):
        self.run_call("two_ptx_texts")

    def test_other_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_call("other_inputs", folder + "/called.ptx")

    def test_wrong_calls(self):
        self.run_call("wrong_links")

    def test_a_context_that_failed_is_none_of_its(self):
        self.assertIn("Address 0x4", self.run_call("failed_context"))

    def test_lto_ir(self):
        self.need_nvrtc()
        self.run_call("lto_ir")


class NvccByNvrtc(Toolkit):
    def test_headers_of_the_host(self):
        self.need_nvrtc()
        text = "".join(f"#include <{path.name}>\n" for path in sorted(FOLDER.joinpath("include").iterdir())
                       if path.name != "warpmark_pow.h")
        text += ("extern \"C\" __global__ void k(float *a, std::uint32_t *b, double d) {\n"
                 "  assert(*a < FLT_MAX);\n  *a = pow(*a, 2.5) + std::pow(2.0, *a) + pow(*a, d) + M_PI;\n"
                 "  *b = INT_MAX + offsetof(int4, z);\n  std::printf(\"%f\\n\", *a);\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            nvcc = pathlib.Path(folder, "cpu/bin/nvcc")
            nvcc.parent.mkdir(parents=True)
            nvcc.write_text((FOLDER / "bin/nvcc").read_text().replace("/usr/local/cuda", "/nowhere"))
            shutil.copytree(FOLDER / "include", nvcc.parent.parent / "include")
            pathlib.Path(folder, "k.cu").write_text(text)
            done = subprocess.run([sys.executable, str(nvcc), "--cubin", "-arch=sm_90", "-o", "k.cubin", "k.cu"], cwd=folder, check=False,
                                  capture_output=True, text=True, env={"PATH": "/nowhere", "WARPMARK_NVRTC": real_library()})
            self.assertEqual((done.returncode, done.stderr.strip("\0")), (0, ""))
            self.assertIn(".entry k(", pathlib.Path(folder, "k.cubin").read_text())


unittest.main()
