# The functions of the package: outcomes, arrays, rows, suites written in Python, and mistakes.
import gc
import os
import signal
import subprocess
import sys
import time
import unittest

try:
    import numpy as np
except ImportError:  # then setUp skips every test
    np = None

import warpmark
from package import BROKEN, ENDLESS, KERNEL, PRINTING, SUITE, WRONG, PackageTest, commands, missing


def suite_dict(**changes):
    return {
        "warpmark": 1,
        "kernel": {"source": KERNEL, "entry": "scale"},
        "arguments": {"x": {"inout": np.arange(5.0)}, "factor": {"scalar": np.float32(3)},
                      "n": {"scalar": 5}},
        "launch": {"block": 32},
        "reference": {"x": 3 * np.arange(5)},
        **changes,
    }


class Outcomes(PackageTest):
    def test_passes(self):
        results = warpmark.check(self.write_suite(), device="cpu")
        self.assertEqual([outcome.id for outcome in results], ["scale.n=1", "scale.n=4096"])
        self.assertTrue(results.ok)
        self.assertIs(results.raise_on_failure(), results)
        self.assertEqual((len(results.passed), results.failed, results.skipped), (2, [], []))
        outcome = results["scale.n=4096"]
        self.assertEqual((outcome.suite, outcome.axes, outcome.verdict, outcome.failure),
                         ("scale", {"n": 4096}, "passed", "none"))
        self.assertGreater(outcome.seconds, 0)
        self.assertEqual(outcome.comparisons[0]["elements"], 4096)
        self.assertEqual(results.device, "Warpmark CPU device")
        self.assertEqual(dict(outcome.outputs), {})  # nobody asked
        self.assertEqual(self.left(), [])

    def test_a_failure_has_the_program_s_text(self):
        self.write_suite(kernel=WRONG)
        results = warpmark.check("scale.yaml", device="cpu")
        self.assertFalse(results.ok)
        [outcome] = results.failed
        self.assertEqual((outcome.failure, str(outcome.where)), ("fault", "scale.cu:3"))
        self.assertEqual(outcome.findings[0]["argument"], "x")
        self.assertEqual(outcome.reproduce,
                         "warpmark check scale.yaml --case scale.n=1 --device cpu")
        printed = self.program("check", "scale.yaml", "--device", "cpu").stdout
        self.assertIn("\n%s\n" % outcome, printed)
        self.assertIn(str(outcome), str(results))
        with self.assertRaisesRegex(warpmark.CheckFailed, "out-of-bounds") as raised:
            results.raise_on_failure()
        self.assertIs(raised.exception.results, results)
        self.assertIsInstance(raised.exception, AssertionError)

    def test_one_cause_is_reported_once(self):
        results = warpmark.check(self.write_suite(kernel=BROKEN), device="cpu")
        self.assertEqual(str(results).count("is undefined"), 1)
        self.assertIn("FAILED scale.n=1 and 1 more case\n", str(results))
        self.assertIn("\n  the same in scale.n=4096\n", str(results))

    def test_causes_are_those_of_the_program(self):
        suite = SUITE.replace("[1, 4096]", "[1, 2, 3, 4, 5, 6, 7, 100]")
        self.write_suite(kernel=WRONG, suite=suite)
        printed = self.program("check", "scale.yaml", "--device", "cpu").stdout
        text = str(warpmark.check("scale.yaml", device="cpu"))
        self.assertIn("FAILED scale.n=1 and 7 more cases\n", text)
        self.assertIn("scale.n=7 and 1 more\n", text)
        self.assertIn(text[:text.rindex("\n\n")], printed)

    def test_text_has_no_control_characters(self):
        self.write_suite(kernel=BROKEN.replace("fctor", "fctor /* \x1b[31m */"))
        text = str(warpmark.check("scale.yaml", device="cpu"))
        self.assertIn("[31m", text)
        self.assertNotIn("\x1b", text)

    def test_a_suite_that_cannot_be_loaded_stops_no_other(self):
        self.write_suite("a/scale.yaml")
        self.write("a/bad.yaml", "warpmark: 1\noops: 2\n")
        results = warpmark.check("a", device="cpu")
        self.assertEqual(len(results.passed), 2)
        self.assertEqual([(outcome.id, outcome.failure) for outcome in results.failed],
                         [("bad.not_loaded", "load")])

    def test_selection_and_values(self):
        file = self.write_suite()
        for choice, ids in (({"select": "n=1"}, ["scale.n=1"]),
                            ({"cases": "scale.n=4096"}, ["scale.n=4096"]),
                            ({"axes": {"n": [2, "2**3"]}}, ["scale.n=2", "scale.n=8"])):
            with self.subTest(choice):
                results = warpmark.check(file, device="cpu", **choice)
                self.assertEqual([outcome.id for outcome in results], ids)
        seeded = [warpmark.check(file, device="cpu", cases="scale.n=1", seed=seed, arrays="all")
                  [0].inputs["x"][0] for seed in (1, 1, 2)]
        self.assertEqual(seeded[0], seeded[1])
        self.assertNotEqual(seeded[0], seeded[2])
        self.assertEqual(warpmark.check(file, device="cpu", checks=["memory", "race"], trials=2,
                                        timeout=30, max_failures=1).run["trials"], 2)

    def test_counters(self):
        results = warpmark.check(self.write_suite(), device="cpu", counters=True)
        self.assertEqual(results[1].counters[0]["global_load_bytes"], 4 * 4096)
        self.assertEqual([row["global_load_bytes"] for row in results.rows()], [4, 4 * 4096])

    def test_outputs_that_are_wrong_as_a_whole_are_one_cause(self):
        whole = warpmark.check(self.write_suite(kernel=KERNEL.replace("*= factor", "= 99")),
                               device="cpu")
        [text] = whole.blocks()
        self.assertTrue(text.startswith("FAILED scale.n=1 and 1 more case\n"), text)
        self.assertTrue(text.endswith("\n  the same in scale.n=4096"), text)
        part = warpmark.check(self.write_suite(kernel=KERNEL.replace("i < n", "i < n && i < 9")),
                              device="cpu", axes={"n": [16, 4096]})
        self.assertEqual(len(part.blocks()), 2)

    def test_what_kernels_print(self):
        results = warpmark.check(self.write_suite(kernel=PRINTING), device="cpu", select="n=1")
        self.assertEqual(results.log.strip(), "from the kernel")

    def test_lists(self):
        suite = SUITE.replace("n: [1, 4096]", "n: [1, -0.5], t: [w, \"'a-b'\"]")
        file = self.write_suite(suite=suite + "skip: {when: n < 0, reason: negative}\n")
        cases = warpmark.list_cases(file)
        self.assertEqual([tuple(case.axes.values()) for case in cases],
                         [(1, "w"), (1, "a-b"), (-0.5, "w"), (-0.5, "a-b")])
        self.assertEqual([case.skip for case in cases], [None, None, "negative", "negative"])
        self.assertEqual({case.file for case in cases}, {str(file)})
        self.write("bad.yaml", "warpmark: 2\n")
        with self.assertRaises(warpmark.UsageError):
            warpmark.list_cases([file, "bad.yaml"])

    def test_benchmarks(self):
        results = warpmark.bench(self.write_suite(), device="cpu", cache="hot", max_samples=2)
        rows = results.rows()
        self.assertEqual([row["n"] for row in rows], [1, 4096])
        self.assertEqual(rows[1]["global_store_bytes"], 4 * 4096)
        self.assertEqual([[launch["global_store_bytes"] for launch in outcome.counters]
                          for outcome in results], [[4], [4 * 4096]])
        self.assertGreater(rows[0]["median_s"], 0)
        self.assertEqual(results[0].measurement["series"][0]["mode"], "hot")


class Values(PackageTest):
    def test_arrays(self):
        results = warpmark.check(self.write_suite(), device="cpu", arrays="all")
        outcome = results[1]
        self.assertEqual((sorted(outcome.inputs), list(outcome.outputs), list(outcome.expected)),
                         (["factor", "n", "x"], ["x"], ["x"]))
        x = outcome.inputs["x"]
        self.assertIs(type(x), np.ndarray)
        self.assertEqual((x.dtype, x.shape, outcome.inputs["n"].shape), (np.float32, (4096,), ()))
        np.testing.assert_array_equal(outcome.outputs["x"], np.float32(3) * x)
        np.testing.assert_array_equal(outcome.outputs["x"], outcome.expected["x"])
        self.assertEqual(repr(outcome.outputs), "{x: float32[4096]}")
        with self.assertRaisesRegex(KeyError, "no array `y` was kept; there are: x"):
            outcome.outputs["y"]

    def test_arrays_of_failures_only(self):
        results = warpmark.check(self.write_suite(kernel=WRONG), device="cpu", arrays="failed")
        self.assertEqual([list(outcome.inputs) for outcome in results], [["factor", "n", "x"], []])

    def test_a_large_array_is_mapped_and_outlives_its_file(self):
        size = 1 << 20
        outcome = warpmark.check(self.write_suite(), device="cpu", arrays="all",
                                 axes={"n": size})[0]
        gc.collect()
        self.assertEqual(len(self.left()), 1)  # one outcome still has a use for it
        x, again = outcome.inputs["x"], outcome.inputs["x"]
        x[0] = 1234
        self.assertNotEqual(again[0], 1234)
        del outcome
        gc.collect()
        self.assertEqual(self.left(), [])
        self.assertEqual((len(x), x[0]), (size, 1234))

    def test_kept_where_one_says(self):
        warpmark.check(self.write_suite(), device="cpu", arrays="all", keep="kept", select="n=1")
        self.assertTrue((self.folder / "kept/scale.n=1/unit0/kernel.ptx").exists())
        self.assertEqual(self.left(), [])

    def test_rows(self):
        self.write_suite(suite=SUITE.replace("axes: {", "axes: {seconds: [5], "))
        rows = warpmark.check("scale.yaml", device="cpu").rows()
        self.assertEqual([(row["axis_seconds"], row["n"], row["verdict"], row["wrong"])
                          for row in rows], [(5, 1, "passed", 0), (5, 4096, "passed", 0)])
        self.assertNotEqual(rows[0]["seconds"], 5)

    @unittest.skipIf(missing("pandas"), missing("pandas"))
    def test_pandas_takes_the_rows(self):
        import pandas
        table = pandas.DataFrame(warpmark.check(self.write_suite(), device="cpu").rows())
        self.assertEqual(list(table.set_index("n").verdict), ["passed", "passed"])

    def test_a_page_escapes_what_it_shows(self):
        self.write_suite(kernel=BROKEN.replace("fctor", "fctor; // <script>alert(1)</script>\n"))
        page = warpmark.check("scale.yaml", device="cpu")._repr_html_()
        self.assertIn("&lt;script&gt;alert(1)", page)
        self.assertNotIn("<script", page)


class WrittenInPython(PackageTest):
    def test_a_dict_with_arrays(self):
        results = warpmark.check(suite_dict(), device="cpu", arrays="all")
        self.assertTrue(results.ok, str(results))
        np.testing.assert_array_equal(results["scale.default"].outputs["x"], [0, 3, 6, 9, 12])
        del results
        gc.collect()
        self.assertEqual(self.left(), [])

    def test_lists_and_arrays_of_other_libraries(self):
        class Tensor:
            def __array__(self, dtype=None, copy=None):
                return np.arange(5.0)

        suite = suite_dict(reference={"x": [0, 3, 6, 9, 12]})
        suite["arguments"]["x"] = {"inout": Tensor()}
        self.assertTrue(warpmark.check(suite, device="cpu").ok)

    def test_tensors_that_numpy_does_not_take(self):
        """On another device, with a gradient, and of a type that NumPy has not: what PyTorch's tensors refuse is not asked of them."""
        class Tensor:
            def __init__(self, values, dtype="torch.bfloat16", place="cuda", gradient=True):
                self.values, self.dtype, self.place, self.gradient = values, dtype, place, gradient

            def changed(self, **changes):
                return Tensor(**{"values": self.values, "dtype": self.dtype, "place": self.place, "gradient": self.gradient, **changes})

            def detach(self):
                return self.changed(gradient=False)

            def cpu(self):
                return self.changed(place="cpu")

            def float(self):
                return self.changed(dtype="torch.float32")

            def __array__(self, dtype=None, copy=None):
                if (self.dtype, self.place, self.gradient) != ("torch.float32", "cpu", False):
                    raise TypeError("can't convert it to numpy")
                return self.values

        for dtype in ("torch.bfloat16", "torch.float8_e4m3fn"):
            suite = suite_dict(reference={"x": Tensor(np.arange(5, dtype="float32") * 3, dtype)})
            suite["arguments"]["x"] = {"inout": Tensor(np.arange(5, dtype="float32"), dtype)}
            self.assertTrue(warpmark.check(suite, device="cpu").ok)

    @unittest.skipIf(missing("torch"), missing("torch"))
    def test_tensors_of_pytorch(self):
        import torch
        wide = torch.arange(10.0).reshape(5, 2)
        for dtype in ("float32", "bfloat16", "float16", "float8_e5m2"):
            x = wide.to(getattr(torch, dtype))[:, 0]  # with gaps
            if dtype != "float8_e5m2":
                x = x.requires_grad_()
            with self.subTest(dtype):
                suite = suite_dict(reference={"x": 3 * wide[:, 0].to(getattr(torch, dtype)).float()})
                suite["arguments"]["x"] = {"inout": x}
                self.assertTrue(warpmark.check(suite, device="cpu").ok)

    def test_checks_with_arrays(self):
        right = 3 * np.arange(5.0)
        for check in ({"permutation": "x", "of": right[::-1]},
                      [{"within": "x", "low": right, "high": list(right)}, {"sorted": "x"}]):
            self.assertTrue(warpmark.check(suite_dict(reference={}, check=check), device="cpu").ok)
        results = warpmark.check(suite_dict(check={"within": "x", "high": right - 1}), device="cpu")
        self.assertEqual(results[0].failure, "check")

    def test_a_name_within_suites(self):
        self.write_suite("suites/deep/er/scale.yaml", kernel="none")
        results = warpmark.check("suites/deep/er/scale.yaml", device="cpu", source=WRONG)
        self.assertEqual(results[0].id, "deep/er/scale.n=1")
        self.assertIn("<source>:3: error", str(results))

    def test_lines_are_those_of_the_source(self):
        for place in ("inside", "beside"):
            with self.subTest(place):
                inside = {"source": BROKEN} if place == "inside" else {}
                results = warpmark.check(suite_dict(kernel={"entry": "scale", **inside}),
                                         device="cpu", source=None if inside else BROKEN)
                self.assertIn("\n  <source>:3: error: scale.cu does not compile\n", str(results))
                self.assertNotIn(str(self.folder), str(results))
                self.assertEqual(results[0].reproduce, "")  # nothing is there any more

    def test_text(self):
        self.write("scale.cu", WRONG)
        results = warpmark.check(SUITE, device="cpu")
        self.assertRegex(str(results), r"\n  scale.cu:3: error: out-of-bounds")
        with self.assertRaises(warpmark.UsageError) as raised:
            warpmark.check("warpmark: 1\noops: 1\n")
        self.assertEqual(raised.exception.message, "suite.yaml:2:1: error: unknown key of a suite "
                         "`oops`")

    def test_several_at_once(self):
        results = warpmark.check([suite_dict(), suite_dict(), self.write_suite("a/b.yaml")],
                                 device="cpu")
        self.assertEqual(sorted({outcome.suite for outcome in results}), ["b", "scale", "scale_2"])
        self.assertTrue(results.ok)

    def test_another_source_for_a_suite(self):
        include = '#include "../common/factor.cuh"\n'
        self.write("course/common/factor.cuh", "#define FACTOR 3\n")
        self.write_suite("course/hw 1 – größe/scale.yaml", "wrong\n")
        before = sorted(self.folder.rglob("*"))
        file = "course/hw 1 – größe/scale.yaml"
        right = include + KERNEL.replace("*= factor", "*= FACTOR")
        results = warpmark.check(file, device="cpu", source=right)
        self.assertTrue(results.ok, str(results))
        results = warpmark.check(file, device="cpu", source=include + WRONG)
        self.assertIn("<source>:4: error: out-of-bounds", str(results))
        results = warpmark.check(file, device="cpu", source=KERNEL.replace("factor;", "2;"))
        self.assertIn("\n  %s:9:16: error: " % file, str(results))
        changed = [path for path in self.folder.rglob("*") if path not in before
                   and "cache" not in path.parts]
        self.assertEqual(changed, [])  # nothing was written beside the suite

    def test_a_missing_kernel_file_may_be_given(self):
        self.write("scale.yaml", SUITE)
        self.assertTrue(warpmark.check("scale.yaml", device="cpu", source=KERNEL).ok)
        self.assertEqual(self.left(), [])

    def test_failures_of_what_is_gone_are_not_remembered(self):
        warpmark.check(suite_dict(reference={"x": np.zeros(5)}), device="cpu")
        self.assertFalse((self.folder / "cache/warpmark/last-failed").exists())


class Mistakes(PackageTest):
    def raises(self, kind, words, *arguments, **options):
        with self.assertRaisesRegex(kind, words) as raised:
            warpmark.check(*arguments, **options)
        self.assertEqual(self.left(), [])
        return raised.exception

    def test_usage(self):
        file = self.write_suite()
        error = self.raises(warpmark.UsageError, "there is no file or folder `no.yaml`", "no.yaml")
        self.assertEqual((error.exit_code, error.hint), (
            2, "PATHS are suite files and folders; cases are chosen with --case"))
        self.raises(warpmark.UsageError, "-k selects no case", file, select="zzz")
        self.raises(warpmark.UsageError, "--foo", file, options=["--foo"])
        self.raises(warpmark.UsageError, "no file or folder `./-x.yaml`", "-x.yaml")
        self.raises(warpmark.UsageError, "cannot read no.yaml", "no.yaml", source=KERNEL)
        self.raises(warpmark.UsageError, "is a folder", ".", source=KERNEL)
        self.write("inside.yaml", SUITE.replace("file: scale.cu", "source: '%s'" % KERNEL.replace(
            "\n", " ")))
        self.raises(warpmark.UsageError, "inside.yaml has its kernel inside", "inside.yaml",
                    source=KERNEL)
        self.raises(ValueError, "arrays must be", file, arrays="some")
        self.raises(ValueError, "2 are given", [file, file], source=KERNEL)
        self.raises(TypeError, "cannot hold a value of type object", suite_dict(axes=object()))
        for array in (np.array([None]), np.ma.array([1, 2], mask=[0, 1])):
            self.raises(TypeError, "array of objects, or one with masked",
                        suite_dict(reference={"x": array}))

    def test_a_machine_without_a_driver(self):
        self.hide_gpu()
        error = self.raises(warpmark.EnvironmentMissing, "libcuda", self.write_suite(),
                            device="gpu", arrays="all")
        self.assertIn("--device cpu", error.hint)

    def test_a_program_that_is_killed(self):
        code = "import os; os.kill(os.getpid(), 9)"
        folder = self.folder / "sitecustomize"
        self.write(folder / "sitecustomize.py",
                   "import sys\nif '--json' in sys.argv: %s\n" % code)
        self.set("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
        self.raises(warpmark.InternalError, "exit code -9", self.write_suite())

    def start_endless(self):
        """A process in a session of its own, which runs a kernel that never ends."""
        self.write_suite(kernel=ENDLESS)
        self.write("run.py", "import warpmark\nprint('started', flush=True)\n"
                   "warpmark.check('scale.yaml', device='cpu', arrays='all')\n")
        child = subprocess.Popen([sys.executable, "run.py"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.assertEqual(child.stdout.readline(), b"started\n")
        deadline = time.monotonic() + 60
        while not any(b"warpmark-worker" in line for line in commands(child.pid)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return child

    def test_ctrl_c(self):
        child = self.start_endless()
        child.send_signal(signal.SIGINT)  # to that process alone, as a notebook does
        _, errors = child.communicate(timeout=60)
        self.assertIn(b"KeyboardInterrupt", errors)
        self.assertEqual(commands(child.pid), [])
        self.assertEqual(self.left(), [])

    def test_nothing_outlives_a_process_that_is_killed(self):
        child = self.start_endless()
        child.kill()
        child.communicate(timeout=60)
        deadline = time.monotonic() + 60
        while commands(child.pid):
            self.assertLess(time.monotonic(), deadline, commands(child.pid))
            time.sleep(0.05)

    def test_importing_it_loads_nothing(self):
        for name in ("numpy", "json", "dataclasses", "tempfile"):
            self.write(name + ".py", "raise SystemExit('this is not the module')\n")
        done = self.program("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
