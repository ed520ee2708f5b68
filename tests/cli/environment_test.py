# `warpmark check` on machines where something is missing, foreign or damaged.
import shutil
import subprocess
import unittest

from program import BUILD, PROGRAM, CheckTest


class Missing(CheckTest):
    """Exit 3, and nothing on stdout: no case was run."""
    OWN_KERNELS = True

    def setUp(self):
        super().setUp()
        self.write_scale()

    def lacks(self, *words, device="cpu", arguments=(), **options):
        errors = self.refused("check", "suites", "--device", device, *arguments, code=3, **options)
        self.assertTrue(errors.startswith("error: "), errors)
        self.assertIn("\n  hint: ", errors)
        for word in words:
            self.assertIn(word, errors)

    def test_no_nvrtc(self):
        self.environment["WARPMARK_NVRTC"] = str(self.folder / "none.so")
        self.lacks("NVRTC", "%s/none.so: " % self.folder, "./bootstrap")

    def test_no_numpy(self):
        self.environment["WARPMARK_PYTHON"] = str(self.make_python())
        self.lacks("has no usable NumPy", "No module named 'numpy'", "-m pip install numpy",
                   "%s/python/bin/python" % self.folder)

    def test_an_old_numpy(self):
        self.environment["WARPMARK_PYTHON"] = str(self.make_python("__version__ = '1.23.5'\n"))
        self.lacks("NumPy 1.23.5", "needs 1.24 or newer")

    def test_no_python(self):
        self.environment["WARPMARK_PYTHON"] = "/nowhere/python3"
        self.lacks("/nowhere/python3", "WARPMARK_PYTHON")

    def test_no_gpu(self):
        self.hide_gpu()
        self.lacks("cannot open the driver libcuda.so.1", "--device cpu needs no GPU",
                   device="gpu")

    def test_a_driver_that_is_none(self):
        self.hide_gpu()
        shutil.copy(BUILD / "tests/bad_plugins/warpmark-plugin-bad1.so",
                    self.folder / "nothing/libcuda.so.1")
        self.lacks("libcuda.so.1 is no usable CUDA driver: it lacks cuInit", device="gpu")

    def test_no_gpu_may_be_a_skip(self):
        self.hide_gpu()
        out, errors = self.check("suites", "--skip-without-device", device="gpu", code=77)
        self.assertEqual(errors, "")
        self.assertRegex(out, r"^skipped: cannot open the driver libcuda\.so\.1: .*\n$")

    def test_other_lacks_are_no_skip(self):
        self.environment["WARPMARK_NVRTC"] = str(self.folder / "none.so")
        self.lacks("NVRTC", arguments=["--skip-without-device"])

    def test_no_cpu_library(self):
        copy = self.lonely_program()
        library = copy.parent.parent / "lib/warpmark/warpmark-plugin-source.so"
        library.parent.mkdir(parents=True)
        shutil.copy(BUILD / "lib/warpmark" / library.name, library)
        self.lacks("no libwarpmark_cpu.so in %s" % library.parent, "WARPMARK_PLUGIN_PATH",
                   program=copy)
        self.hide_gpu()
        self.lacks("there is no device: no GPU: ", "no CPU device: no libwarpmark_cpu.so",
                   program=copy, device="auto")

    def test_a_device_of_no_such_name(self):
        self.lacks("no libwarpmark_nowhere.so", device="nowhere")


class Workers(CheckTest):
    def test_a_program_alone_is_its_own_worker(self):
        self.write_scale()
        program = self.lonely_program()
        self.environment["WARPMARK_PLUGIN_PATH"] = str(BUILD / "lib/warpmark")
        self.check(program=program)
        # One beside it is started, which has no Python.
        self.write("alone/bin/warpmark-worker", '#!/bin/sh\ntouch "%s/started"\nexec "%s" "$@"\n'
                   % (self.folder, BUILD / "bin/warpmark-worker")).chmod(0o755)
        self.check(program=program)
        self.assertTrue((self.folder / "started").exists())


class Plugins(CheckTest):
    """Exit 2 at the line of the suite that names the plugin."""

    def refuses(self, name, *words, place="11:9", **options):
        self.write_scale(more="plugin: %s\n" % name)
        errors = self.refused("check", "suites", "--device", "cpu", **options)
        self.assertTrue(errors.startswith("suites/t.yaml:%s: error: " % place), errors)
        for word in words:
            self.assertIn(word, errors)

    def test_another_version(self):
        self.environment["WARPMARK_PLUGIN_PATH"] = str(BUILD / "tests/bad_plugins")
        self.refuses("bad3", "warpmark-plugin-bad3.so", "of version 99 of the plugin interface",
                     "this program knows version 1")

    def test_no_plugin(self):
        self.environment["WARPMARK_PLUGIN_PATH"] = str(BUILD / "tests/bad_plugins")
        self.refuses("bad1", "warpmark-plugin-bad1.so", "warpmark_plugin_v1")

    def test_an_unknown_name(self):
        self.refuses("sourse", "there is no plugin `sourse`: no warpmark-plugin-sourse.so in ",
                     "did you mean `source`?")

    def test_what_a_plugin_refuses(self):
        self.environment["WARPMARK_PLUGIN_PATH"] = str(BUILD / "tests/bad_plugins")
        self.refuses("bad18", "the block is odd", "hint: make it even", place="9:17")

    def test_none_at_all(self):
        self.write_scale()
        errors = self.refused("check", "suites", "--device", "cpu", program=self.lonely_program())
        self.assertIn("there is no plugin `source`", errors)
        self.assertTrue(errors.startswith("suites/t.yaml:"), errors)


class Cache(CheckTest):
    OWN_KERNELS = True

    def setUp(self):
        super().setUp()
        self.write_scale()

    def run_once(self):
        """Returns whether the kernel came from the cache, and the notices of the console."""
        out, errors = self.check("suites", "--journal", "run.jsonl")
        self.assertEqual(errors, "")
        self.assertIn("\n1 passed in ", out)
        case = self.journal()[1]
        return case["compiled_from_cache"], out.partition("\nNOTICE t.n=100\n")[2]

    def entry(self):
        (entry,) = (self.folder / "cache/warpmark/kernels").glob("*.kernel")
        return entry

    def test_the_second_run_takes_the_first_ones_kernel(self):
        self.assertEqual(self.run_once(), (False, ""))
        self.assertEqual(self.run_once(), (True, ""))
        self.assertEqual(self.run_program("cache")[0].count(": 1 kernel in "), 1)
        self.check("suites", "--no-cache", "--journal", "run.jsonl")
        self.assertFalse(self.journal()[1]["compiled_from_cache"])

    def test_what_the_compiler_said_is_shown_from_the_cache_too(self):
        kernel = self.folder / "suites/k.cu"
        kernel.write_text(kernel.read_text() + "__device__ int unused() { int x; return 1; }\n")
        suite = self.folder / "suites/t.yaml"
        suite.write_text(suite.read_text().replace("kernel: {", "kernel: {options: [--ptxas-options=-v], "))
        for cached in (False, True):
            from_cache, notices = self.run_once()
            self.assertEqual(from_cache, cached)
            self.assertIn('warning #177-D: variable "x" was declared but never referenced', notices)
            self.assertRegex(notices, r"Used \d+ registers")
        suite.write_text(suite.read_text().replace("options: [--ptxas-options=-v], ", ""))
        self.assertNotIn("Used", self.run_once()[1])

    def test_another_source_is_another_kernel(self):
        self.run_once()
        kernel = self.folder / "suites/k.cu"
        kernel.write_text(kernel.read_text() + "// more\n")
        self.assertFalse(self.run_once()[0])

    def damaged(self, damage):
        self.run_once()
        entry = self.entry()
        whole = entry.read_bytes()
        entry.write_bytes(damage(whole))
        from_cache, notices = self.run_once()
        self.assertFalse(from_cache)
        self.assertIn("the cached kernel %s is damaged and is compiled again" % entry, notices)
        self.assertEqual(entry.read_bytes(), whole)
        self.assertEqual(self.run_once(), (True, ""))

    def test_a_truncated_entry(self):
        self.damaged(lambda whole: whole[:len(whole) // 2])

    def test_an_empty_entry(self):
        self.damaged(lambda whole: b"")

    def test_an_altered_entry(self):
        middle = 3000
        self.damaged(lambda whole: whole[:middle] + bytes([whole[middle] ^ 1]) +
                     whole[middle + 1:])

    def test_processes_that_fill_it_together(self):
        command = [PROGRAM, "check", "suites", "--device", "cpu"]
        together = [subprocess.Popen(command, cwd=self.folder, env=self.environment,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
                    for _ in range(4)]
        for process in together:
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, out)
            self.assertNotIn(b"NOTICE", out)
        self.assertEqual(self.run_once(), (True, ""))

    def test_an_unwritable_cache(self):
        # A file in the folder's place stops root as well.
        self.write("no_folder", "")
        self.environment["WARPMARK_CACHE_DIR"] = str(self.folder / "no_folder")
        for _ in range(2):
            from_cache, notices = self.run_once()
            self.assertFalse(from_cache)
            self.assertIn("the compiled kernel is not kept: ", notices)
            self.assertIn("no_folder", notices)


if __name__ == "__main__":
    unittest.main()
