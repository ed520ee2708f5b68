# `warpmark doctor`, `devices` and `cache`: what the program finds on a machine.
import json
import os
import unittest

from program import BUILD, ProgramTest

NUMPY = "__version__ = '1.26.0'\n"


class Doctor(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["WARPMARK_PYTHON"] = str(self.make_python(NUMPY))

    def rows(self, code=None, **options):
        done = self.start("doctor", **options)
        text = done.stdout.decode()
        self.assertEqual(done.stderr, b"", text)
        self.assertIn(done.returncode, (0, 3) if code is None else (code,), text)
        rows, name = {}, None
        for line in text.split("\n\n")[0].splitlines():
            if not line.startswith(" "):
                mark, name = line.split()[:2]
                rows.setdefault(name, [mark, ""])
            rows[name][1] += line[20:] + "\n"
        able = all(rows[need][0] == "ok" for need in ("NVRTC", "Python", "NumPy", "plugin"))
        able = able and "ok" in (rows["gpu"][0], rows["cpu"][0])
        self.assertEqual(done.returncode == 0, able, text)
        self.assertIn("can check kernels on" if able else "cannot check kernels", text)
        return rows

    def test_everything_has_a_mark(self):
        rows = self.rows()
        for name in ("NVRTC", "gpu", "cpu", "NVML", "Python", "NumPy", "plugin", "cache"):
            self.assertIn(rows[name][0], ("ok", "missing"))

    def test_a_device_has_what_it_is_compiled_for(self):
        text = self.rows()["cpu"][1]
        self.assertIn("cpu:0 Warpmark CPU device, compute capability 9.0, compiled for sm_90, ", text)
        self.environment["WARPMARK_CPU_CAPABILITY"] = "8.0"
        self.assertIn("compute capability 8.0, compiled for sm_80, ", self.rows()["cpu"][1])

    def test_python_and_numpy_with_their_places(self):
        rows = self.rows()
        self.assertEqual(rows["Python"][0], "ok")
        self.assertIn("%s/python/bin/python" % self.folder, rows["Python"][1])
        self.assertIn("(from WARPMARK_PYTHON)", rows["Python"][1])
        self.assertEqual(rows["NumPy"][0], "ok")
        self.assertRegex(rows["NumPy"][1], r"^1\.26\.0 in %s/python/lib/.*/numpy\n" % self.folder)

    def test_no_numpy_has_a_remedy(self):
        (next(self.folder.glob("python/lib/python*/site-packages")) / "numpy/__init__.py").write_text(
            "raise ImportError('broken')\n")
        mark, text = self.rows(code=3)["NumPy"]
        self.assertEqual(mark, "missing")
        self.assertIn("broken", text)
        self.assertIn("-m pip install numpy", text)

    def test_no_python_has_a_remedy_and_the_rest_is_examined(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        rows = self.rows(code=3)
        self.assertEqual(rows["Python"][0], "missing")
        self.assertIn("hint: unset WARPMARK_PYTHON", rows["Python"][1])
        self.assertIn("cache", rows)

    def test_no_nvrtc_says_where_it_looked(self):
        self.environment["WARPMARK_NVRTC"] = str(self.folder / "libnvrtc.so")
        mark, text = self.rows(code=3)["NVRTC"]
        self.assertEqual(mark, "missing")
        self.assertIn("%s/libnvrtc.so: " % self.folder, text)
        self.assertIn("hint: run ./bootstrap", text)

    def test_no_gpu_says_why(self):
        self.hide_gpu()
        mark, text = self.rows()["gpu"]
        self.assertEqual(mark, "missing")
        self.assertIn("libcuda.so.1", text)
        self.assertIn("hint: install NVIDIA's driver, or use the CPU device", text)

    def test_nvml_or_why_not(self):
        self.environment["WARPMARK_NVML"] = str(BUILD / "tests/drivers/libfake_nvml.so")
        self.assertEqual(self.rows()["NVML"], ["ok", self.environment["WARPMARK_NVML"] + "\n"])
        self.environment["WARPMARK_FAKE_NVML_FAILS"] = "nvmlInit_v2"
        mark, text = self.rows()["NVML"]
        self.assertEqual(mark, "missing")
        self.assertIn("nvmlInit_v2 failed: Unknown Error (999)", text)
        self.environment["WARPMARK_NVML"] = "/nowhere/libnvidia-ml.so"
        mark, text = self.rows()["NVML"]
        self.assertEqual(mark, "missing")
        self.assertIn("/nowhere/libnvidia-ml.so", text)
        self.assertIn("hint: only benchmarks on a GPU", text)

    def test_no_plugin_and_no_cpu_device(self):
        self.hide_gpu()
        rows = self.rows(code=3, program=self.lonely_program())
        self.assertEqual(rows["plugin"][0], "missing")
        self.assertIn("WARPMARK_PLUGIN_PATH", rows["plugin"][1])
        self.assertEqual(rows["cpu"][0], "missing")
        self.assertIn("no libwarpmark_cpu.so in %s/alone/lib/warpmark" % self.folder, rows["cpu"][1])

    def test_plugins_with_their_paths(self):
        mark, text = self.rows()["plugin"]
        self.assertEqual(mark, "ok")
        self.assertIn("source at %s/lib/warpmark/warpmark-plugin-source.so" % BUILD, text)

    def test_cache_folder(self):
        self.assertRegex(self.rows()["cache"][1], "^%s/cache/warpmark: 0 kernels" % self.folder)
        self.assertFalse((self.folder / "cache").exists())  # looking makes nothing
        self.write("file", "")
        self.environment["WARPMARK_CACHE_DIR"] = str(self.folder / "file")
        mark, text = self.rows()["cache"]
        self.assertEqual(mark, "missing")
        self.assertIn("%s/file is no folder" % self.folder, text)
        for name in ("WARPMARK_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
            del self.environment[name]
        self.assertIn("set WARPMARK_CACHE_DIR", self.rows()["cache"][1])

    def test_a_cache_folder_that_is_not_ours(self):
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        mark, text = self.rows(preexec_fn=self.permissions_count())["cache"]
        self.assertEqual(mark, "missing")
        self.assertIn("%s is not writable" % self.folder, text)


class Devices(ProgramTest):
    def test_the_cpu_device(self):
        self.hide_gpu()
        out, _ = self.run_program("devices", "--json")
        found = json.loads(out)
        self.assertEqual([device["kind"] for device in found["devices"]], ["cpu"])
        device = found["devices"][0]
        self.assertEqual(device["index"], 0)
        self.assertRegex(device["compute_capability"], r"^\d+\.\d$")
        self.assertGreater(device["memory_bytes"], 2**20)
        self.assertIn("exact_bounds", device["capabilities"])
        self.assertEqual(device["driver"], str(BUILD / "lib/warpmark/libwarpmark_cpu.so"))
        self.assertEqual([one["kind"] for one in found["missing"]], ["gpu"])
        self.assertIn("libcuda.so.1", found["missing"][0]["reason"])
        self.assertIn("NVIDIA's driver", found["missing"][0]["remedy"])

    def test_the_functions_of_the_cpu_device(self):
        self.hide_gpu()
        found = json.loads(self.run_program("devices", "--api", "--json")[0])
        driver, = found["api"]
        states = {symbol["symbol"]: symbol["state"] for symbol in driver["symbols"]}
        self.assertEqual(states["cuLaunchKernel"], "implemented")
        self.assertEqual(states["cuCoredumpGetAttribute"], "stub")
        self.assertEqual(driver["implemented"] + driver["stubs"], len(states))
        out, _ = self.run_program("devices", "--api")
        self.assertIn("cpu: %d functions of the driver API, %d more return CUDA_ERROR_NOT_SUPPORTED\n"
                      % (driver["implemented"], driver["stubs"]), out)
        self.assertIn("  implemented  cuLaunchKernel  and for per-thread streams\n", out)
        self.assertIn("  stub         cuCoredumpGetAttribute\n", out)

    def test_text_has_what_json_has(self):
        self.hide_gpu()
        device = json.loads(self.run_program("devices", "--json")[0])["devices"][0]
        out, _ = self.run_program("devices")
        self.assertIn("cpu:0  %s\n" % device["name"], out)
        self.assertIn("compute capability %s, " % device["compute_capability"], out)
        self.assertIn(", ".join(device["capabilities"]), out)
        self.assertIn("no gpu: cannot open the driver libcuda.so.1", out)

    def test_none_is_an_environment_error(self):
        self.hide_gpu()
        out, _ = self.run_program("devices", code=3, program=self.lonely_program())
        self.assertIn("no gpu: ", out)
        self.assertIn("no cpu: ", out)

    def test_a_library_that_is_none_is_reported(self):
        self.write("own/libwarpmark_toy.so", "no library")
        self.environment["WARPMARK_PLUGIN_PATH"] = str(self.folder / "own")
        missing = json.loads(self.run_program("devices", "--json")[0])["missing"]
        self.assertIn("file too short", {one["kind"]: one["reason"] for one in missing}["toy"])


class Cache(ProgramTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache/warpmark"

    def fill(self):
        for digit in "ab":
            self.write("cache/warpmark/kernels/%s.kernel" % (digit * 64), "x" * 600)
        return self.write("cache/warpmark/kernels/notes.txt", "mine")

    def test_shows_the_folder_and_what_is_in_it(self):
        self.assertEqual(self.run_program("cache")[0], "%s: 0 kernels in 0 bytes\n" % self.cache)
        self.fill()
        self.assertEqual(self.run_program("cache")[0],
                         "%s: 2 kernels in 1,200 bytes\n" % self.cache)

    def test_clear_removes_kernels_and_nothing_else(self):
        notes = self.fill()
        self.assertEqual(self.run_program("cache", "clear")[0],
                         "%s: removed 2 kernels in 1,200 bytes\n" % self.cache)
        self.assertEqual(list(self.cache.rglob("*.*")), [notes])
        self.assertIn("removed 0 kernels", self.run_program("cache", "clear")[0])

    def test_what_cannot_be_removed_is_an_error(self):
        self.fill()
        (self.cache / "kernels").chmod(0o500)
        self.addCleanup((self.cache / "kernels").chmod, 0o700)
        _, errors = self.run_program("cache", "clear", code=3, preexec_fn=self.permissions_count())
        self.assertIn("could not remove 2 kernels", errors)

    def test_no_folder_at_all(self):
        del self.environment["HOME"], self.environment["XDG_CACHE_HOME"]
        self.assertIn("set WARPMARK_CACHE_DIR", self.refused("cache", code=3))


if __name__ == "__main__":
    unittest.main()
